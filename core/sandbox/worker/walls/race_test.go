//go:build race

package walls

// underRace says that children are watched for races, which changes what they die of.
const underRace = true
