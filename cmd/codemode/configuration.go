package main

import (
	"fmt"
	"os"

	"github.com/codemode-go/codemode/core"
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
	return config.Load(path, config.Options{Vars: vars, Guest: guest})
}

// configured is the configuration in full, and what the host tells on the way.
func (a *app) configured() (*config.Config, core.OpenOptions, error) {
	logger, err := a.logger()
	if err != nil {
		return nil, core.OpenOptions{}, err
	}
	c, err := a.load(false)
	return c, core.OpenOptions{Logger: logger}, err
}
