package wire

import (
	"container/list"
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"pfsd/engine/config"
	"pfsd/engine/errorlog"
	"pfsd/engine/sysvar"
	"pfsd/instr"
	"pfsd/tables"
)

// resolver looks up names and addresses; *net.Resolver is one.
type resolver interface {
	LookupAddr(ctx context.Context, addr string) ([]string, error)
	LookupHost(ctx context.Context, host string) ([]string, error)
}

// resolveTime limits how long a client waits while the server looks up its name.
const resolveTime = 3 * time.Second

// HostCache knows the addresses of clients, as the table host_cache shows them. Safe for
// concurrent use.
type HostCache struct {
	log       *errorlog.Log
	variables *sysvar.Server // set before the first client comes
	mu        *instr.Mutex
	resolver  resolver                 // guarded by mu
	hosts     map[string]*list.Element // guarded by mu; their values are *tables.HostCacheRow
	recent    *list.List               // guarded by mu; the latest address first
	size      int64                    // guarded by mu; host_cache_size at the last use
}

func newHostCache(reg *instr.Registry, log *errorlog.Log) *HostCache {
	return &HostCache{
		resolver: net.DefaultResolver, log: log, mu: reg.NewMutex("sql/hash_filo::lock"),
		hosts: map[string]*list.Element{}, recent: list.New(),
	}
}

// ResolveWith makes the cache use r to look names and addresses up.
func (c *HostCache) ResolveWith(r resolver) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resolver = r
}

// cacheable returns the address of a client as the cache knows it, "" for a client on this machine,
// as in MySQL.
func cacheable(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return ""
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	if ip == netip.AddrFrom4([4]byte{127, 0, 0, 1}) || ip == netip.IPv6Loopback() {
		return ""
	}
	return ip.String()
}

// enter notes a client from ip, and returns the name of its host, or ip itself if it has none. It
// reports false if the host is blocked. It looks up the name of a new address unless
// skip_name_resolve is on.
func (c *HostCache) enter(ctx context.Context, ip string) (host string, ok bool) {
	if c.variables.Integer("skip_name_resolve") != 0 {
		return ip, true
	}
	if host, known, blocked := c.find(ip); known || blocked {
		return host, !blocked
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	host, validated, failure := c.resolve(ctx, ip)
	c.add(ip, host, validated, failure)
	if host == "" {
		return ip, true
	}
	return host, true
}

// find looks ip up in the cache, and notes that a client came from it.
func (c *HostCache) find(ip string) (host string, known, blocked bool) {
	limit := c.variables.Integer("max_connect_errors")
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.hosts[ip]
	if e == nil {
		return "", false, false
	}
	c.recent.MoveToFront(e)
	h := e.Value.(*tables.HostCacheRow)
	h.Last = time.Now()
	if h.ConnectErrors > limit {
		tally(h, tables.HostBlocked)
		return "", false, true
	}
	if h.Host == "" {
		return ip, h.Validated, false
	}
	return h.Host, h.Validated, false
}

// noHostError means that there is no error.
const noHostError = tables.HostErrorCount

// resolve looks up the name of ip; the addresses of the name must include ip. validated reports
// whether the answer is final, so that the cache may keep it.
func (c *HostCache) resolve(ctx context.Context, ip string) (host string, validated bool, failure tables.HostError) {
	c.mu.Lock()
	r := c.resolver
	c.mu.Unlock()
	names, err := r.LookupAddr(ctx, ip)
	if err != nil || len(names) == 0 {
		c.log.Write(errorlog.UnresolvedIP, ip, reasonOf(err))
		if permanent(err) {
			return "", true, tables.HostNameinfoPermanent
		}
		return "", false, tables.HostNameinfoTransient
	}
	name := strings.TrimSuffix(names[0], ".")
	if likeIPv4(name) {
		c.log.Write(errorlog.HostLikeIP, ip, name)
		return "", false, tables.HostFormat
	}
	addresses, err := r.LookupHost(ctx, name)
	if err != nil {
		c.log.Write(errorlog.UnresolvedHost, name, reasonOf(err))
		if permanent(err) {
			return "", true, tables.HostAddrinfoPermanent
		}
		return "", false, tables.HostAddrinfoTransient
	}
	if !slices.ContainsFunc(addresses, func(a string) bool { return sameAddress(a, ip) }) {
		c.log.Write(errorlog.HostMismatch, name, ip)
		return "", true, tables.HostFCrDNS
	}
	return name, true, noHostError
}

// permanent reports whether err says that there is no name.
func permanent(err error) bool {
	var dns *net.DNSError
	return err == nil || errors.As(err, &dns) && dns.IsNotFound
}

// reasonOf returns an error in the words of the C library, as MySQL's log has it.
func reasonOf(err error) string {
	if permanent(err) {
		return "Name or service not known"
	}
	return "Temporary failure in name resolution"
}

// likeIPv4 reports whether a name begins with digits and a dot, like an address in an account.
func likeIPv4(name string) bool {
	digits, _, dot := strings.Cut(name, ".")
	return dot && digits != "" && strings.Trim(digits, "0123456789") == ""
}

func sameAddress(a, ip string) bool {
	parsed, err := netip.ParseAddr(a)
	return err == nil && parsed.Unmap().WithZone("").String() == ip
}

// add adds ip to the cache. If the cache is full, it drops the address that was used longest ago.
func (c *HostCache) add(ip, host string, validated bool, failure tables.HostError) {
	size := c.variables.Integer("host_cache_size")
	c.mu.Lock()
	defer c.mu.Unlock()
	if size != c.size {
		c.clear()
		c.size = size
	}
	if size == 0 {
		return
	}
	e := c.hosts[ip]
	if e == nil {
		if int64(len(c.hosts)) >= size {
			oldest := c.recent.Back()
			delete(c.hosts, oldest.Value.(*tables.HostCacheRow).IP)
			c.recent.Remove(oldest)
		}
		now := time.Now()
		e = c.recent.PushFront(&tables.HostCacheRow{IP: ip, First: now, Last: now})
		c.hosts[ip] = e
	}
	h := e.Value.(*tables.HostCacheRow)
	h.Host, h.Validated = host, validated
	if failure != noHostError {
		tally(h, failure)
	}
}

// tally counts an error. The caller holds the cache's lock.
func tally(h *tables.HostCacheRow, failure tables.HostError) {
	h.LastError = time.Now()
	if h.FirstError.IsZero() {
		h.FirstError = h.LastError
	}
	h.Errors[failure]++
	if failure == tables.HostHandshake && h.Validated {
		h.ConnectErrors++
	}
}

// failed counts an error of a client from ip that could not connect; ip may be "".
func (c *HostCache) failed(ip string, failure tables.HostError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.hosts[ip]; e != nil {
		tally(e.Value.(*tables.HostCacheRow), failure)
	}
}

// succeeded notes that a client from ip has connected; ip may be "".
func (c *HostCache) succeeded(ip string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.hosts[ip]; e != nil {
		e.Value.(*tables.HostCacheRow).ConnectErrors = 0
	}
}

// Rows returns the addresses, the latest one first.
func (c *HostCache) Rows(tables.Key) (all []tables.HostCacheRow) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.recent.Front(); e != nil; e = e.Next() {
		all = append(all, *e.Value.(*tables.HostCacheRow))
	}
	return all
}

// Truncate removes all addresses.
func (c *HostCache) Truncate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
}

// clear removes all addresses. The caller holds the lock.
func (c *HostCache) clear() {
	clear(c.hosts)
	c.recent.Init()
}

// The constants with which MySQL computes the size of the cache.
const (
	hostCacheMin   = 128
	hostCacheMax   = 2000
	hostCacheFully = 500 // so many connections have a place each
	hostCachePart  = 20  // so many further connections share a place
)

// autoHostCacheSize returns the size of the cache for a limit of connections.
func autoHostCacheSize(connections int) int64 {
	if connections <= hostCacheFully {
		return int64(hostCacheMin + connections)
	}
	return int64(min(hostCacheMax, hostCacheMin+hostCacheFully+(connections-hostCacheFully)/hostCachePart))
}

// HostVariables returns the values of the system variables about the hosts of clients.
func HostVariables(o config.Options) map[string]any {
	values := map[string]any{"host_cache_size": autoHostCacheSize(o.MaxConnections), "max_connect_errors": uint64(100), "skip_name_resolve": sysvar.BoolValue(!o.NameResolution.Enabled())}
	if o.HostCacheSize != nil && *o.HostCacheSize >= 0 {
		values["host_cache_size"] = int64(*o.HostCacheSize)
	}
	if o.MaxConnectErrors > 0 {
		values["max_connect_errors"] = uint64(o.MaxConnectErrors)
	}
	return values
}
