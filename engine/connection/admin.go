package connection

import (
	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/rights"
)

// The administrators' address is for accounts with SERVICE_CONNECTION_ADMIN. They can use it when others cannot sign in: when there are too
// many connections, clients that do not sign in, or running statements.

// needsAdmin returns the error for a client with these rights that may not use the administrators' address, nil if it may.
func needsAdmin(r rights.Rights) error {
	if !r.Access().HasAny(accounts.ServiceConnectionAdmin) {
		return access.ErrNeeds(accounts.ServiceConnectionAdmin)
	}
	return nil
}
