package instr

// MemoryPart is a kind of memory that is measured: the instrument memory/NAME.
type MemoryPart struct{ Name, Doc string }

// measuredMemory is memory that is measured when somebody reads the figures.
type measuredMemory struct {
	classes []*Class
	measure func(bytes []int)
}

// MeasureMemory makes instruments of memory that is not counted when it is allocated. When the statistics are read, measure says
// how many bytes each of parts has now; so the lowest and highest values are those of such moments. An instrument that is off is
// not measured. After stop, they show no memory in use. measure must be safe for concurrent use, and use no instruments of the
// registry.
func (r *Registry) MeasureMemory(parts []MemoryPart, measure func(bytes []int)) (stop func()) {
	m := &measuredMemory{measure: measure}
	for _, p := range parts {
		c := r.class(KindMemory, p.Name)
		c.SetProperties(GlobalStatistics)
		c.SetDocumentation(p.Doc)
		c.measured.Store(true)
		m.classes = append(m.classes, c)
	}
	r.measured.Store(m, nil)
	return func() {
		r.measured.Delete(m)
		for _, c := range m.classes {
			c.memory.measure(amount{})
		}
	}
}

// MeasureMemory is Registry.MeasureMemory of the default registry.
func MeasureMemory(parts []MemoryPart, measure func(bytes []int)) (stop func()) {
	return Default.MeasureMemory(parts, measure)
}

// measureOthers brings the statistics of memory from Registry.MeasureMemory up to date.
func (r *Registry) measureOthers() {
	r.measured.Range(func(key, _ any) bool {
		m := key.(*measuredMemory)
		bytes := make([]int, len(m.classes))
		m.measure(bytes)
		for i, c := range m.classes {
			if c.switches.Load() != 0 {
				c.memory.measure(amount{bytes: bytes[i]})
			}
		}
		return true
	})
}
