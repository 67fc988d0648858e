package grammar

import "testing"

func TestPlainCode(t *testing.T) {
	for text, want := range map[string]string{
		"CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW SET @a = '/*!1'":                                  "CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW SET @a = '/*!1'",
		"/*!50003 CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW SET @a = 1 \n*/":                         "CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW SET @a = 1",
		"/*!50003 CREATE*/ /*!50017 DEFINER=`u`@`%`*/ /*!50003 TRIGGER `a` BEFORE SET @a = '*/', @b = 2 */": "CREATE  DEFINER=`u`@`%`  TRIGGER `a` BEFORE SET @a = '*/', @b = 2",
		"/*! CREATE /* why */ TRIGGER -- /*!1 */\n x */":                                                    "CREATE /* why */ TRIGGER -- /*!1 */\n x",
		`/*!1 SELECT 'it''s \' /*!1', "*/", # */`:                                                           `SELECT 'it''s \' /*!1', "*/", # */`,
		"DELETE FROM t WHERE a = '*/' \n*/":                                                                 "DELETE FROM t WHERE a = '*/'",
		"SELECT 2 */ 3":                                                                                     "SELECT 2 */ 3",
		"/*!50003 SELECT 'open":                                                                             "SELECT 'open",
	} {
		if got := PlainCode(text); got != want {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}
