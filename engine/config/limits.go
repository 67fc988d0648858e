package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pfsd/instr"
)

// sizePrefix is the prefix of the options that set sizes. The names of the variables that show the
// sizes have underscores in place of dashes.
const sizePrefix = "performance-schema-"

// limitOptions returns an option for each limit.
func limitOptions() []option {
	var opts []option
	for l := range instr.LimitCount {
		doc := "largest number of " + l.Things()
		if l.LostName() == "" {
			doc += "; an INSERT beyond it is an error"
		} else {
			doc += "; more are not seen, but counted in Performance_schema_" + l.LostName()
		}
		if l.Default() < 0 {
			doc += "; -1 is no limit"
		}
		opts = append(opts, sizeOption(l.String(), l.Default(), min(l.Default(), 0), l.Max(), doc, func(s *settings, n int) {
			if s.Limits == nil {
				s.Limits = map[instr.Limit]int{}
			}
			s.Limits[l] = n
		}))
	}
	return opts
}

// sizeOption returns the option for the variable performance_schema_NAME. As in MySQL, the minimum
// is -1 if that is the default. If def is below the minimum, the option has no default: the
// registry's size stays.
func sizeOption(name string, def, minimum, maximum int, doc string, set func(*settings, int)) option {
	text := ""
	if def >= minimum {
		text = strconv.Itoa(def)
	}
	return option{
		optionOf(name), "N", integerOption, text, int64(minimum), int64(maximum), doc,
		func(s *settings, v optionValue) error { set(s, int(v.number)); return nil },
	}
}

// maxDigestLength is the only option of a size that does not belong to the Performance Schema
// alone.
const maxDigestLength = "max-digest-length"

// optionOf returns the name of the option for the variable performance_schema_NAME.
func optionOf(name string) string { return sizePrefix + strings.ReplaceAll(name, "_", "-") }

// checkSizes compares the sizes, which a program may have set by itself, with the ranges of their
// options.
func (o Options) checkSizes() error {
	if o.MaxDigestLength != nil {
		if err := checkSize(maxDigestLength, *o.MaxDigestLength); err != nil {
			return err
		}
	}
	sizes := map[string]int{}
	for l, n := range o.Limits {
		if l >= instr.LimitCount {
			return fmt.Errorf("unknown limit %d", l)
		}
		sizes[l.String()] = n
	}
	maps.Copy(sizes, o.Sizes)
	if o.HistorySize != nil {
		sizes["events_waits_history_size"] = *o.HistorySize
	}
	if o.HistoryLongSize != nil {
		sizes["events_waits_history_long_size"] = *o.HistoryLongSize
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if err := checkSize(optionOf(name), sizes[name]); err != nil {
			return err
		}
	}
	return nil
}

// checkSize compares a number with the range of an option.
func checkSize(option string, n int) error {
	opt, _, _ := find(option)
	if opt == nil {
		return fmt.Errorf("unknown size '%s'", option)
	}
	if err := opt.inRange(strconv.Itoa(n), int64(n)); err != nil {
		return fmt.Errorf("option '--%s': %w", opt.name, err)
	}
	return nil
}
