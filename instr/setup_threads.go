package instr

// ThreadClasses returns the classes of threads, in the order of their first use. Safe for
// concurrent use.
func (r *Registry) ThreadClasses() []*ThreadClass { return nil }

// Name is the class's full name, such as thread/sql/main.
func (c *ThreadClass) Name() string { return c.name }

// Enabled is INSTRUMENTED of the threads of the class that start from now on. Safe for
// concurrent use.
func (c *ThreadClass) Enabled() bool { return true }

// History is HISTORY of the threads of the class that start from now on. Safe for concurrent use.
func (c *ThreadClass) History() bool { return true }

// SetEnabled sets Enabled. Safe for concurrent use.
func (c *ThreadClass) SetEnabled(on bool) {}

// SetHistory sets History. Safe for concurrent use.
func (c *ThreadClass) SetHistory(on bool) {}

// Properties is the set PROPERTIES: Singleton, User or none. Safe for concurrent use.
func (c *ThreadClass) Properties() Property { return 0 }
