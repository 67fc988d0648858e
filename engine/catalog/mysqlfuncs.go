//go:build !nomysqlfuncs

package catalog

import _ "pfsd/engine/mysqlfuncs" // adds the functions that no table and no client needs
