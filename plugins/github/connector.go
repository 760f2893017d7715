package main

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

const instructions = "GitHub repositories: issues, pull requests, contents, releases and workflows. " +
	"Methods that list return {items, more}: more says that there are further ones beyond limit. " +
	"Issues and pull requests share their numbers; labels, comments and locks of a pull request are those of its issue."

// connector is GitHub as one identity sees it.
type connector struct {
	base http.RoundTripper // carries all requests
	lag  time.Duration     // how far GitHub's listings are behind its writes, at most

	// Set by configure.
	client *github.Client
	config Config
}

// New returns the connector; Configure fills in what its methods need.
func New() *sdk.Connector {
	return (&connector{base: http.DefaultTransport, lag: 5 * time.Second}).sdk()
}

func (c *connector) sdk() *sdk.Connector {
	return &sdk.Connector{
		Name:           "github",
		Version:        version,
		Instructions:   instructions,
		Configure:      sdk.Config(c.configure),
		DynamicMethods: func(context.Context) ([]sdk.Method, error) { return c.methods(), nil },
	}
}

// configure makes the client. It asks GitHub nothing: what is wrong with a
// token shows at the first call, and a host starts while GitHub is away.
func (c *connector) configure(_ context.Context, config Config) error {
	client, err := config.open(c.base)
	if err != nil {
		return err
	}
	c.client, c.config = client, config
	return nil
}

// methods lists all methods, family by family.
func (c *connector) methods() []sdk.Method {
	return slices.Concat(
		c.repositoryMethods(), c.contentMethods(), c.branchMethods(), c.commitMethods(),
		c.issueMethods(), c.commentMethods(), c.labelMethods(),
		c.pullMethods(), c.mergeMethods(), c.reviewMethods(), c.checkMethods(),
		c.releaseMethods(), c.workflowMethods(), c.searchMethods(),
		c.gistMethods(), c.notificationMethods(), c.userMethods(),
	)
}
