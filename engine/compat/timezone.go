package compat

import (
	"context"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// zoneType is the type of time_zone.
//
// go-mysql-server: an offset can have any two digits of hours and of minutes, and system in
// small letters is a zone that NOW() does not know afterwards. MySQL: an offset is from -13:59
// to +14:00, and SYSTEM has no letter case.
type zoneType struct{ sql.StringType }

// The offsets that a time zone can have.
const (
	minOffset = -(13*time.Hour + 59*time.Minute)
	maxOffset = 14 * time.Hour
)

// Convert implements sql.Type.
func (t zoneType) Convert(ctx context.Context, v any) (any, sql.ConvertInRange, error) {
	name, ok := v.(string)
	if !ok {
		return t.StringType.Convert(ctx, v)
	}
	if strings.EqualFold(name, "SYSTEM") {
		return "SYSTEM", sql.InRange, nil
	}
	if offset, err := sql.MySQLOffsetToDuration(name); err == nil && (offset < minOffset || offset > maxOffset || name[len(name)-2] > '5') {
		return nil, sql.InRange, sql.ErrInvalidTimeZone.New(name)
	}
	return name, sql.InRange, nil
}

// mendTimeZone gives time_zone its type.
func mendTimeZone(all sql.SystemVariableRegistry) {
	v, _, _ := all.GetGlobal("time_zone")
	plain, ok := v.(*sql.MysqlSystemVariable)
	if !ok {
		return
	}
	if text, ok := plain.Type.(sql.StringType); ok {
		mended := *plain
		mended.Type = zoneType{text}
		all.AddSystemVariables([]sql.SystemVariable{&mended})
	}
}
