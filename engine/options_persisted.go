package engine

import (
	"maps"
	"strings"

	"pfsd/engine/datadir"
)

// withPersisted reads the values that SET PERSIST keeps in the data directory, and gives them to the options, unless these say no; ignored
// are those that are of no use.
func withPersisted(o Options, dir *datadir.Dir) (_ Options, p *persisted, ignored []string, err error) {
	p, err = readPersisted(dir, optionFiles)
	if o.NoPersisted {
		return o, p, nil, nil
	}
	if err != nil {
		return o, nil, nil, err
	}
	o.Variables, o.Origins = maps.Clone(o.Variables), maps.Clone(o.Origins)
	o.Limits, o.Sizes = maps.Clone(o.Limits), maps.Clone(o.Sizes)
	s := settings{Options: o}
	for _, v := range p.all() {
		a := assignment{text: v.name, name: canonical(strings.ToLower(v.name)), value: v.value, hasValue: true}
		if opt, prefix, _ := find(a.name); opt == nil || prefix != "" {
			ignored = append(ignored, v.name)
			continue
		}
		if _, err := a.apply(&s); err != nil {
			ignored = append(ignored, v.name)
			continue
		}
		s.Origins[variableName(a.name)] = Origin{Source: sourcePersisted, Path: p.path, Time: v.time, User: v.user, Host: v.host}
	}
	return s.Options, p, ignored, nil
}
