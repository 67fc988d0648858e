//go:build !gms_pure_go

package buildtag

var _ = the_engine_must_be_built_with_tags_gms_pure_go
