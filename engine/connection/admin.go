package connection

import (
	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/rights"
)

// The administrators' address is for accounts with SERVICE_CONNECTION_ADMIN: what keeps others out, too many
// connections, clients that do not sign in or statements that run, does not keep them out.

// needsAdmin is why a client with these rights may not use the administrators' address, nil if it may.
func needsAdmin(r rights.Rights) error {
	if !r.Access().HasAny(accounts.ServiceConnectionAdmin) {
		return access.ErrNeeds(accounts.ServiceConnectionAdmin)
	}
	return nil
}
