package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// units are the bytes of each unit of a size.
var units = map[string]int64{
	"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
	"kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
}

// ParseSize reads a number of bytes: a whole number and a unit (B, KiB, MiB,
// GiB, TiB, or kB, MB, GB, TB for powers of a thousand), "256MiB" or "256 MiB".
func ParseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "BKMGTik")
	unit, known := units[text[len(digits):]]
	n, err := strconv.ParseUint(strings.TrimSuffix(digits, " "), 10, 63)
	if err != nil || !known {
		return 0, fmt.Errorf(`a size is a whole number and a unit, like "256MiB" or "1GB"`)
	}
	if int64(n) > math.MaxInt64/unit {
		return 0, fmt.Errorf("a size of %d %s is too large", n, text[len(digits):])
	}
	return int64(n) * unit, nil
}
