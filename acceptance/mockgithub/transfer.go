package mockgithub

import (
	"fmt"
	"net/http"
)

// Attic is a second repository, to which issues can be transferred. An issue
// keeps its number there.
const Attic = "attic"

func (g *GitHub) routeAttic() {
	g.handle("GET /repos/"+Owner+"/"+Attic, func(*request) (int, any) {
		return 200, object{"name": Attic, "full_name": Owner + "/" + Attic, "node_id": "R_" + Attic, "owner": login(Owner)}
	})
	g.handle("GET /repos/"+Owner+"/"+Attic+"/issues/{number}", func(r *request) (int, any) {
		i := g.moved[r.number("number")]
		if i == nil {
			return notFound()
		}
		o := g.issueJSON(i)
		o["repository_url"] = "https://api.github.com/repos/" + Owner + "/" + Attic
		o["html_url"] = atticURL(i.number)
		return 200, o
	})
}

func atticURL(number int) string {
	return fmt.Sprintf("https://github.com/%s/%s/issues/%d", Owner, Attic, number)
}

// transfer is GraphQL's transferIssue.
func (g *GitHub) transfer(r *request) (int, any) {
	variables, _ := r.body["variables"].(object)
	for number, i := range g.issues {
		if variables["issue"] == nodeID(number) && variables["to"] == "R_"+Attic {
			delete(g.issues, number)
			g.moved[number] = i
			return 200, object{"data": object{"transferIssue": object{"issue": object{"number": number, "url": atticURL(number)}}}}
		}
	}
	return 200, object{"data": nil, "errors": []object{{"message": "Could not resolve to a node"}}}
}

func nodeID(number int) string { return fmt.Sprintf("I_%d", number) }

// follow answers with where a transferred issue has gone.
func (g *GitHub) follow(r *request) (int, any) {
	number := r.number("number")
	if g.moved[number] == nil {
		return notFound()
	}
	r.w.Header().Set("Location", fmt.Sprintf("/repos/%s/%s/issues/%d", Owner, Attic, number))
	return http.StatusMovedPermanently, object{"message": "Moved Permanently"}
}
