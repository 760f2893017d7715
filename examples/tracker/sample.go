package main

import "time"

// sample is the team's tracker on the first day.
func sample(today time.Time) *data {
	days := func(n int) time.Time { return today.AddDate(0, 0, -n) }
	issue := func(number int, title, body, author string, updated time.Time, labels ...string) Issue {
		return Issue{
			Number: number, Title: title, Body: body, State: "open", Author: author, Updated: updated,
			Labels: append([]string{}, labels...), Comments: []Comment{},
		}
	}
	return &data{
		Next: 12,
		Issues: []Issue{
			issue(1, "Login fails with a plus sign in the address", "a+b@example.com is refused.", "ada", days(120), "bug"),
			issue(2, "Dark mode", "Please.", "linus", days(200)),
			issue(3, "Export loses the last row", "Seen with 1,001 rows.", "grace", days(3), "bug"),
			issue(4, "Docs: the quick start is out of date", "", "ken", days(95)),
			issue(5, "Upload of large files times out", "Above 2 GB.", "ada", days(150), "bug"),
		},
		PullRequests: []pull{
			{PullRequest{6, "Accept plus signs in addresses", "fix/plus", "open", "grace", []int{1}}, []Check{{"build", "passed"}, {"test", "passed"}}},
			{PullRequest{7, "Write the last row", "fix/last-row", "open", "ken", []int{3}}, []Check{{"build", "passed"}, {"test", "failed"}}},
			{PullRequest{8, "Stream uploads", "fix/uploads", "open", "ada", []int{5}}, []Check{{"build", "passed"}, {"test", "pending"}, {"lint", "pending"}}},
			{PullRequest{9, "Bump dependencies", "chore/deps", "open", "linus", []int{}}, []Check{{"build", "passed"}, {"test", "passed"}}},
		},
		Done: map[string]int{},
	}
}
