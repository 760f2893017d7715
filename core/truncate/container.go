package truncate

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

const (
	// maxDepth is how deep values are looked into. Every level reads once more what is in it.
	maxDepth = 32
	// An item of an array, or a value of an object, has at least this share of the room
	// (or MinLimit) before others go: eight long texts rather than a hundred scraps,
	// but most keys of a record.
	leastOfArray  = 8
	leastOfObject = 64
)

// container is an array or an object that has to be shortened.
type container struct {
	object bool
	parts  []part // the leading ones; of others it is known that they have no room
	total  int
	// taken are the object's keys that begin like the marker.
	taken map[string]bool
}

// part is one item or member.
type part struct {
	key   []byte // with its quotes; nil in an array
	value []byte
	size  int // characters of the value
}

// before is how many characters stand before the value, the comma before it not counted.
func (p *part) before() int {
	if p.key == nil {
		return 0
	}
	return utf8.RuneCount(p.key) + len(":")
}

// thin shortens an array or an object: it shortens its parts so that all have room
// or, where that leaves only scraps of them, leaves out those behind.
func thin(value []byte, room, depth int) ([]byte, bool) {
	c := read(value, room)
	if depth == maxDepth {
		c.parts = nil
	}
	room -= len("[]")
	note := c.note(c.total)
	share, all := c.share(room)
	left := room
	if !all {
		left -= utf8.RuneCount(note) + len(",")
	}
	if left+len(",") < 0 { // without a part there is no comma
		return nil, false
	}
	short := []byte{value[0]}
	kept := 0
	for i := range c.parts {
		p := &c.parts[i]
		room := left - p.before() - comma(kept)
		v, ok := p.within(min(share, room), depth)
		if !ok && c.object {
			continue // a shorter key may have room
		} else if !ok {
			break
		}
		short = c.add(short, kept, p.key, v)
		left = room - utf8.RuneCount(v)
		kept++
	}
	if kept < c.total {
		short = append(append(short, ","[:comma(kept)]...), c.note(c.total-kept)...)
	}
	return append(short, value[len(value)-1]), true
}

// within returns the part's value, shortened; false: there is no room for more than
// a scrap of it.
func (p *part) within(room, depth int) ([]byte, bool) {
	if room < min(p.size, MinLimit) {
		return nil, false
	}
	return shorten(p.value, room, depth+1)
}

// comma is how many characters part a part from the n before it.
func comma(n int) int { return min(n, 1) }

func (c *container) add(short []byte, kept int, key, value []byte) []byte {
	short = append(short, ","[:comma(kept)]...)
	if c.object {
		short = append(append(short, key...), ':')
	}
	return append(short, value...)
}

// read looks at the parts of an array or an object.
func read(value []byte, room int) *container {
	c := &container{object: value[0] == '{', taken: map[string]bool{}}
	for key, v := range parts(value) {
		c.total++
		c.meet(key)
		if len(c.parts) <= room/2 { // each takes a character and a comma
			c.parts = append(c.parts, part{key: key, value: v, size: utf8.RuneCount(v)})
		}
	}
	return c
}

// meet notes a key that begins like the marker, however it is written.
func (c *container) meet(key []byte) {
	if len(key) < 2 || key[1] != '\\' && key[1] != markerKey[0] {
		return
	}
	var name string
	if json.Unmarshal(key, &name) == nil && strings.HasPrefix(name, markerKey) {
		c.taken[name] = true
	}
}

// share returns how much room each part has at most, and whether that leaves none out.
func (c *container) share(room int) (share int, all bool) {
	least := leastOfArray
	if c.object {
		least = leastOfObject
	}
	least = max(room/least, MinLimit)
	if len(c.parts) < c.total {
		return least, false
	}
	share = sort.Search(room+1, func(share int) bool { return c.need(share) > room }) - 1
	if share >= least {
		return share, true
	}
	return least, false
}

// need is how many characters the parts take if none has more than a share.
func (c *container) need(share int) int {
	sum := len(c.parts) - 1 // commas
	for i := range c.parts {
		sum += c.parts[i].before() + min(c.parts[i].size, share)
	}
	return sum
}

// markerKey is the key of the note on keys left out, unless the object has it.
const markerKey = "…"

// note counts n parts that are left out.
func (c *container) note(n int) []byte {
	if !c.object {
		return quoted("… " + counted(n, "item"))
	}
	key := markerKey
	for i := 2; c.taken[key]; i++ {
		key = fmt.Sprintf("%s%d", markerKey, i)
	}
	return append(append(quoted(key), ':'), quoted(counted(n, "key"))...)
}
