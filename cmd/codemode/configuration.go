package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/codemode-go/codemode/core/config"
)

// find finds the path of the configuration.
func (a *app) find() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	userDir, err := os.UserConfigDir()
	if err != nil {
		userDir = "" // a user without a home has no configuration there
	}
	return config.Find(a.config, os.Getenv, here, userDir)
}

// load finds and reads the configuration. A guest gets it without what only the holder of the journal needs.
func (a *app) load(guest bool) (*config.Config, error) {
	vars, err := pairs("var", a.vars)
	if err != nil {
		return nil, err
	}
	path, err := a.find()
	if err != nil {
		return nil, err
	}
	c, err := config.Load(path, config.Options{Vars: vars, Guest: guest})
	if err != nil {
		return nil, err
	}
	if c.Approvals.SecretFile != "" {
		return nil, errors.New("approvals.secret_file: this version of codemode cannot ask for the secret, " +
			"and does not work as if none were wanted; leave the attribute out")
	}
	return c, nil
}
