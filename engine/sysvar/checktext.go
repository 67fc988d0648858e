package sysvar

import (
	"regexp"
	"slices"
	"strings"

	"pfsd/engine/mysqlerr"
)

// textOf returns the text that a variable of kind Text is to be set to, or the error that value is none.
func textOf(v *Variable, value any) (string, error) {
	text, ok := value.(string)
	switch {
	case value == nil:
		return "", mysqlerr.WrongValue(v.Name, "NULL")
	case !ok:
		return "", mysqlerr.WrongType(v.Name)
	}
	return text, nil
}

// engines are the storage engines that SHOW ENGINES shows.
var engines = []string{"InnoDB", "MEMORY", "PERFORMANCE_SCHEMA"}

func checkEngine(v *Variable, value any) (any, error) {
	name, err := textOf(v, value)
	if err != nil {
		return nil, err
	}
	if i := nameIn(engines, name); i >= 0 {
		return engines[i], nil
	}
	return nil, mysqlerr.UnknownEngine(name)
}

func checkLocale(v *Variable, value any) (any, error) {
	name, err := textOf(v, value)
	if err != nil {
		return nil, err
	}
	if i := nameIn(locales, name); i >= 0 {
		return locales[i], nil
	}
	return nil, mysqlerr.UnknownLocale(name)
}

// nameIn returns the position of a name, in any letter case, -1 if it is not there.
func nameIn(names []string, name string) int {
	return slices.IndexFunc(names, func(s string) bool { return strings.EqualFold(s, name) })
}

// gtid is AUTOMATIC, ANONYMOUS, or the number of a transaction of a server, each of which may have a tag.
var gtid = regexp.MustCompile(`(?i)^(?:AUTOMATIC(?::[a-z_][a-z0-9_]{0,31})?|ANONYMOUS|` +
	`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::[a-z_][a-z0-9_]{0,31})?:[1-9][0-9]{0,18})$`)

// gtidMax is how many bytes of a text can be one.
const gtidMax = 128

func checkGTID(v *Variable, value any) (any, error) {
	text, err := textOf(v, value)
	if err != nil {
		return nil, err
	}
	if len(text) > gtidMax || !gtid.MatchString(text) {
		return nil, mysqlerr.MalformedGTID(text)
	}
	if word := strings.ToUpper(text); strings.HasPrefix(word, "A") && (word == "ANONYMOUS" || strings.HasPrefix(word, "AUTOMATIC")) {
		return word[:9] + strings.ToLower(text[9:]), nil
	}
	return strings.ToLower(text), nil
}

// locales are MySQL's.
// MySQL: its reference manual, "MySQL Server Locale Support".
var locales = strings.Fields(`
	ar_AE ar_BH ar_DZ ar_EG ar_IN ar_IQ ar_JO ar_KW ar_LB ar_LY ar_MA ar_OM ar_QA ar_SA ar_SD ar_SY ar_TN ar_YE
	be_BY bg_BG ca_ES cs_CZ da_DK de_AT de_BE de_CH de_DE de_LU el_GR
	en_AU en_CA en_GB en_IN en_NZ en_PH en_US en_ZA en_ZW
	es_AR es_BO es_CL es_CO es_CR es_DO es_EC es_ES es_GT es_HN es_MX es_NI es_PA es_PE es_PR es_PY es_SV es_US es_UY es_VE
	et_EE eu_ES fi_FI fo_FO fr_BE fr_CA fr_CH fr_FR fr_LU gl_ES gu_IN he_IL hi_IN hr_HR hu_HU id_ID is_IS it_CH it_IT ja_JP
	ko_KR lt_LT lv_LV mk_MK mn_MN ms_MY nb_NO nl_BE nl_NL no_NO pl_PL pt_BR pt_PT rm_CH ro_RO ru_RU ru_UA sk_SK sl_SI sq_AL
	sr_RS sv_FI sv_SE ta_IN te_IN th_TH tr_TR uk_UA ur_PK vi_VN zh_CN zh_HK zh_TW`)
