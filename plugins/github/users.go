package main

import (
	"context"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// User is a user, an organization or a bot.
type User struct {
	Login   string `json:"login"`
	Type    string `json:"type" jsonschema_description:"User, Organization or Bot."`
	Name    string `json:"name,omitempty" jsonschema_description:"This and the rest: get_user only."`
	Email   string `json:"email,omitempty"`
	Company string `json:"company,omitempty"`
	Bio     string `json:"bio,omitempty"`
	URL     string `json:"url"`
	Own
}

// GetUser are the arguments of get_user.
type GetUser struct {
	Login string `json:"login,omitempty" jsonschema:"pattern=^[A-Za-z0-9_.-]+(\\[bot\\])?$" jsonschema_description:"Without it, the user whose token this is."`
	Raw
}

// Team is a team of an organization.
type Team struct {
	Slug        string `json:"slug" jsonschema_description:"What list_team_members takes as team."`
	Name        string `json:"name"`
	Description string `json:"description"`
	Privacy     string `json:"privacy" jsonschema_description:"closed: its members are known in the organization; secret."`
	Parent      string `json:"parent,omitempty" jsonschema_description:"The slug of the team that it is a part of."`
	URL         string `json:"url"`
	Own
}

// ListTeams are the arguments of list_teams.
type ListTeams struct {
	Org string `json:"org" jsonschema:"pattern=^[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$"`
	Paging
}

// ListTeamMembers are the arguments of list_team_members.
type ListTeamMembers struct {
	Org  string `json:"org" jsonschema:"pattern=^[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$"`
	Team string `json:"team" jsonschema:"pattern=^[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$" jsonschema_description:"Its slug, the last part of its address."`
	Role string `json:"role,omitempty" jsonschema:"enum=member,enum=maintainer,enum=all,default=all"`
	Paging
}

func (c *connector) userMethods() []sdk.Method {
	tags := []string{"users"}
	return []sdk.Method{
		read(sdk.Func[GetUser, User]{
			Name: "get_user", Description: "Get a user or organization; without a login, whose token this is.", Tags: tags,
			Call: c.getUser,
		}),
		read(sdk.Func[ListTeams, Page[Team]]{
			Name: "list_teams", Description: "List the teams of an organization that the token may see.", Tags: tags,
			Call: c.listTeams,
		}),
		read(sdk.Func[ListTeamMembers, Page[User]]{
			Name: "list_team_members", Description: "List the members of an organization's team.", Tags: tags,
			Call: c.listTeamMembers,
		}),
	}
}

func (c *connector) getUser(ctx context.Context, in GetUser) (User, error) {
	return one(ctx, in.Raw, func(ctx context.Context) (*github.User, *github.Response, error) {
		return c.client.Users.Get(ctx, in.Login)
	}, user)
}

func (c *connector) listTeams(ctx context.Context, in ListTeams) (Page[Team], error) {
	return list(ctx, in.Paging, listing[*github.Team, Team]{shape: team,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.Team, *github.Response, error) {
			return c.client.Teams.ListTeams(ctx, in.Org, &page)
		}})
}

func team(t *github.Team) Team {
	return Team{
		Slug: t.GetSlug(), Name: t.GetName(), Description: t.GetDescription(), Privacy: t.GetPrivacy(),
		Parent: t.GetParent().GetSlug(), URL: t.GetHTMLURL(),
	}
}

func (c *connector) listTeamMembers(ctx context.Context, in ListTeamMembers) (Page[User], error) {
	return list(ctx, in.Paging, listing[*github.User, User]{shape: user,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.User, *github.Response, error) {
			return c.client.Teams.ListTeamMembersBySlug(ctx, in.Org, in.Team, &github.TeamListTeamMembersOptions{Role: in.Role, ListOptions: page})
		}})
}

func user(u *github.User) User {
	return User{
		Login: u.GetLogin(), Type: u.GetType(), Name: u.GetName(), Email: u.GetEmail(), Company: u.GetCompany(), Bio: u.GetBio(), URL: u.GetHTMLURL(),
	}
}
