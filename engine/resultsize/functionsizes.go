package resultsize

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/builtins"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/syntax"
)

// resultSizes has the size of the result of every function of go-mysql-server and of this module.
// The keys are names in lower case. Functions of sys are here without their schema.
var resultSizes = func() map[string]Size {
	all := map[string]Size{}
	for size, names := range map[Size]string{
		Small: `
			abs acos adddate addtime ascii asin atan atan2 avg benchmark bin bin_to_uuid bit_and bit_count bit_length bit_or bit_xor
			ceil ceiling char_length character_length charset coercibility collation connection_id conv convert_tz cos cot count crc32
			curdate current_date current_time current_timestamp current_user curtime database date date_add date_sub datediff datetime
			day dayname dayofmonth dayofweek dayofyear degrees dense_rank exp extract field find_in_set floor format
			format_bytes format_pico_time found_rows from_days get_format get_lock grouping hour inet6_aton inet6_ntoa inet_aton
			inet_ntoa instr is_binary is_free_lock is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 is_used_lock is_uuid isnull
			json_contains json_contains_path json_depth json_length json_overlaps json_schema_valid json_storage_free
			json_storage_size json_type json_valid last_day last_insert_id last_insert_uuid length ln localtime localtimestamp locate
			log log10 log2 makedate maketime master_pos_wait md5 microsecond minute mod month monthname now ntile oct octet_length ord
			percent_rank period_add period_diff pi position pow power ps_current_thread_id ps_thread_id quarter radians rand
			random_bytes rank regexp_instr regexp_like release_all_locks release_lock round row_count row_number schema sec_to_time
			second session_user sha sha1 sha2 sign sin sleep source_pos_wait sqrt st_area st_contains st_dimension st_disjoint
			st_distance st_equal st_geohash st_geometrytype st_intersects st_isclosed st_isempty st_issimple st_latfromgeohash
			st_length st_longfromgeohash st_numgeometries st_numinteriorring st_numinteriorrings st_numpoints
			st_perimeter st_within statement_digest statement_digest_text std stddev stddev_pop
			stddev_samp str_to_date strcmp subdate subtime sum sysdate system_user tan time time_to_sec timediff timestamp
			timestampadd timestampdiff to_days to_seconds truncate uncompressed_length unix_timestamp user utc_date utc_time
			utc_timestamp uuid uuid_short uuid_to_bin validate_password_strength var_pop var_samp variance
			version week weekday weekofyear year yearweek
			format_time ps_is_account_enabled ps_is_consumer_enabled ps_is_instrument_default_enabled
			ps_is_instrument_default_timed ps_is_thread_instrumented ps_thread_account version_major version_minor version_patch`,
		LikeArgument: `
			any_value coalesce elt first first_value from_base64 greatest if ifnull lag last last_value lead least left load_file ltrim
			max mid min nullif regexp_substr reverse right rtrim substr substring substring_index sys$declared unhex values`,
		Manyfold: `
			aes_decrypt aes_encrypt char compress current_role date_format from_unixtime gtid_subtract hex json_quote
			json_schema_validation_report json_unquote lcase lower point quote soundex st_asbinary st_asgeojson st_astext st_aswkb st_aswkt
			st_centroid st_convexhull st_endpoint st_envelope st_exteriorring st_geomcollfromtext st_geomcollfromtxt
			st_geomcollfromwkb st_geometrycollectionfromtext st_geometrycollectionfromwkb st_geometryfromtext st_geometryfromwkb
			st_geometryn st_geomfromgeojson st_geomfromtext st_geomfromwkb st_interiorringn st_linefromtext st_linefromwkb
			st_linestringfromtext st_linestringfromwkb st_mlinefromtext st_mlinefromwkb st_mpointfromtext st_mpointfromwkb
			st_longitude st_mpolyfromtext st_mpolyfromwkb st_multilinestringfromtext st_multilinestringfromwkb st_multipointfromtext
			st_multipointfromwkb st_multipolygonfromtext st_multipolygonfromwkb st_pointfromgeohash st_pointfromtext st_pointfromwkb st_pointn
			st_polyfromtext st_polyfromwkb st_polygonfromtext st_polygonfromwkb st_srid st_startpoint st_swapxy st_validate st_x st_y
			time_format to_base64 ucase upper
			extract_schema_from_file_name extract_table_from_file_name format_path format_statement list_add list_drop
			ps_thread_stack ps_thread_trx_info quote_identifier sys_get_config`,
		Checked: `
			concat concat_ws export_set group_concat insert json_arrayagg json_objectagg lpad make_set regexp_replace repeat replace
			rpad space uncompress`,
		Document: `
			json_array json_array_append json_array_insert json_extract json_insert json_keys
			json_merge json_merge_patch json_merge_preserve json_object json_pretty json_remove json_replace json_search json_set
			json_table json_value`,
		Geometry: `geomcollection geometrycollection linestring multilinestring multipoint multipolygon polygon`,
	} {
		for name := range strings.FieldsSeq(names) {
			if all[name] != Unstated {
				panic(name + " states two sizes")
			}
			all[name] = size
		}
	}
	for size, names := range map[Size][]string{
		Small: {
			sqlexpr.SumName.Lowered(), sqlexpr.AvgName.Lowered(), sqlexpr.DoubleName.Lowered(), sqlexpr.BitsName.Lowered(), builtins.OrdinalName.Lowered(),
			syntax.MemberOf, syntax.TypedLiteral, syntax.Rollup, syntax.Quantified, sqlexpr.BucketsName.Lowered(),
		},
		LikeArgument: {sqlexpr.ExactLiteralName.Lowered(), sqlexpr.CaseName.Lowered(), builtins.MemberName.Lowered(), sqlexpr.ShownName.Lowered(), syntax.Assign},
		Manyfold:     {syntax.IntervalValue},
		Checked:      {sqlexpr.GroupConcatName.Lowered(), builtins.ConvertedName.Lowered()},
	} {
		for _, name := range names {
			all[name] = size
		}
	}
	for size, groups := range map[Size][]map[string]sql.Function{
		Small: {
			sqlexpr.OperatorFunctions(), sqlexpr.LikeFunctions(), builtins.VectorFunctions(),
			builtins.RefusedFunctions(), // these return no result, only an error
		},
		LikeArgument: {builtins.TrimFunctions(), builtins.InnerFunctions(), builtins.UpdatedNamesFunctions()},
		Manyfold:     {builtins.CastFunctions()},
	} {
		for _, functions := range groups {
			for name := range functions {
				all[name] = size
			}
		}
	}
	return all
}()

// documentArguments has the functions that read JSON documents from texts. The values are how many
// of the first arguments can be documents.
var documentArguments = map[string]int{
	"json_array_append": 1, "json_array_insert": 1, "json_contains": 2, "json_contains_path": 1, "json_depth": 1, "json_extract": 1,
	"json_insert": 1, "json_keys": 1, "json_length": 1, "json_merge": sqlexpr.AnyNumber, "json_merge_patch": sqlexpr.AnyNumber, "json_merge_preserve": sqlexpr.AnyNumber,
	"json_overlaps": 2, "json_pretty": 1, "json_remove": 1, "json_replace": 1, "json_schema_valid": 2,
	"json_schema_validation_report": 2, "json_search": 1, "json_set": 1, "json_storage_free": 1, "json_storage_size": 1,
	"json_table": 1, "json_type": 1, "json_unquote": 1, "json_valid": 1, "json_value": 1, "st_geomfromgeojson": 1,
	syntax.MemberOf: 2,
}
