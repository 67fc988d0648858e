package config

import (
	"maps"
	"strings"

	"pfsd/engine/datadir"
	"pfsd/engine/sysvar"
)

// WithPersisted reads the values that SET PERSIST has written to the data directory, and puts them
// into the options, unless the options forbid it. ignored are messages about values that cannot be
// used.
func WithPersisted(o Options, dir *datadir.Dir) (_ Options, p *sysvar.Persisted, ignored []string, err error) {
	p, err = sysvar.ReadPersisted(dir, optionFiles)
	if !o.PersistedVariables.Enabled() {
		return o, p, nil, nil
	}
	if err != nil {
		return o, nil, nil, err
	}
	o.Variables, o.Origins = maps.Clone(o.Variables), maps.Clone(o.Origins)
	o.Limits, o.Sizes = maps.Clone(o.Limits), maps.Clone(o.Sizes)
	s := settings{Options: o}
	for _, v := range p.All() {
		a := assignment{text: v.Name, name: canonical(strings.ToLower(v.Name)), value: v.Value, hasValue: true}
		if opt, prefix, _ := find(a.name); opt == nil || prefix != "" {
			ignored = append(ignored, v.Name)
			continue
		}
		if _, err := a.apply(&s); err != nil {
			ignored = append(ignored, v.Name)
			continue
		}
		s.Origins[variableName(a.name)] = sysvar.Origin{Source: sysvar.SourcePersisted, Path: p.Path, Time: v.Time, User: v.User, Host: v.Host}
	}
	return s.Options, p, ignored, nil
}
