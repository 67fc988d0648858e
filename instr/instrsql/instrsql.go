package instrsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"slices"
	"sync"

	"pfsd/instr"
)

// Option changes what a database records.
type Option func(*options)

type options struct {
	registry *instr.Registry
	name     string
}

// WithRegistry records statements in r instead of instr.Default.
func WithRegistry(r *instr.Registry) Option { return func(o *options) { o.registry = r } }

// WithName names the database: CURRENT_SCHEMA of its statements, and the name of its connections. By default it is the name of the driver
// given to [Open] and [Register], else the driver's type.
func WithName(name string) Option { return func(o *options) { o.name = name } }

func makeOptions(name string, opts []Option) options {
	o := options{registry: instr.Default, name: name}
	for _, set := range opts {
		set(&o)
	}
	return o
}

// Open is sql.Open of a database whose statements are recorded.
func Open(driverName, dataSourceName string, opts ...Option) (*sql.DB, error) {
	plain, err := sql.Open(driverName, "")
	if err != nil {
		// Some drivers check the name of the source here.
		if plain, err = sql.Open(driverName, dataSourceName); err != nil {
			return nil, err
		}
	}
	d := plain.Driver()
	if err := plain.Close(); err != nil {
		return nil, err
	}
	w := wrapDriver(d, makeOptions(driverName, opts))
	c, err := w.OpenConnector(dataSourceName)
	if err != nil {
		return nil, err
	}
	return w.db.open(c), nil
}

// OpenDB is sql.OpenDB of a database whose statements are recorded.
func OpenDB(c driver.Connector, opts ...Option) *sql.DB {
	w := wrapDriver(c.Driver(), makeOptions(fmt.Sprintf("%T", c.Driver()), opts))
	return w.db.open(w.connector(c))
}

// registered guards the names that Register makes.
var registered sync.Mutex

// Register registers a driver that records the statements of the driver of this name, and returns the name of the new
// driver: the same name and a number. An error says that there is no driver of this name. Safe for concurrent use.
func Register(driverName string, opts ...Option) (string, error) {
	registered.Lock()
	defer registered.Unlock()
	plain, err := sql.Open(driverName, "")
	if err != nil && !slices.Contains(sql.Drivers(), driverName) {
		return "", err
	}
	if err != nil {
		return "", fmt.Errorf("instrsql: driver %s refuses an empty source, and so cannot be registered by name: use WrapDriver: %w", driverName, err)
	}
	d := plain.Driver()
	if err := plain.Close(); err != nil {
		return "", err
	}
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s-instr-%d", driverName, i)
		if !slices.Contains(sql.Drivers(), name) {
			sql.Register(name, wrapDriver(d, makeOptions(driverName, opts)))
			return name, nil
		}
	}
}

// WrapDriver returns a driver that works like d, and records its calls.
func WrapDriver(d driver.Driver, opts ...Option) driver.Driver {
	return wrapDriver(d, makeOptions(fmt.Sprintf("%T", d), opts))
}

// Driver is a driver whose statements are recorded.
type Driver struct {
	plain driver.Driver
	db    *database
}

func wrapDriver(d driver.Driver, o options) *Driver { return &Driver{d, newDatabase(o)} }

// Unwrap returns the plain driver.
func (d *Driver) Unwrap() driver.Driver { return d.plain }

// Open implements driver.Driver.
func (d *Driver) Open(name string) (driver.Conn, error) {
	return d.db.connect(func() (driver.Conn, error) { return d.plain.Open(name) })
}

// OpenConnector implements driver.DriverContext.
func (d *Driver) OpenConnector(name string) (driver.Connector, error) {
	if plain, ok := d.plain.(driver.DriverContext); ok {
		c, err := plain.OpenConnector(name)
		if err != nil {
			return nil, err
		}
		return d.connector(c), nil
	}
	return &connector{d, namedSource{d.plain, name}}, nil
}

func (d *Driver) connector(c driver.Connector) driver.Connector { return &connector{d, c} }

// namedSource is a connector for a driver that does not make connectors.
type namedSource struct {
	driver driver.Driver
	name   string
}

// Connect implements driver.Connector.
func (s namedSource) Connect(context.Context) (driver.Conn, error) { return s.driver.Open(s.name) }

// Driver implements driver.Connector.
func (s namedSource) Driver() driver.Driver { return s.driver }

// connector opens connections whose calls are recorded.
type connector struct {
	driver *Driver
	plain  driver.Connector
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	return c.driver.db.connect(func() (driver.Conn, error) { return c.plain.Connect(ctx) })
}

// Driver implements driver.Connector.
func (c *connector) Driver() driver.Driver { return c.driver }

// Close implements io.Closer, which database/sql calls when the database is closed.
func (c *connector) Close() error {
	if plain, ok := c.plain.(io.Closer); ok {
		return plain.Close()
	}
	return nil
}

// Raw calls f with the driver's own connection, as conn.Raw does for a database that is not recorded.
func Raw(conn *sql.Conn, f func(driverConn any) error) error {
	return conn.Raw(func(driverConn any) error {
		if w, ok := driverConn.(interface{ Raw() driver.Conn }); ok {
			return f(w.Raw())
		}
		return f(driverConn)
	})
}
