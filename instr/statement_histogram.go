package instr

import (
	"iter"
	"math"
	"math/bits"

	"pfsd/timers"
)

// StatementHistogramBuckets is how many buckets the histograms of statements have.
const StatementHistogramBuckets = 450

// The first bucket of statements ends at 10 microseconds; each of the others but the last
// ends at 10^(1/50) times what it begins at.
const (
	firstStatementBound = 10_000_000 // picoseconds
	statementBoundRatio = 1.0471285480508996
)

// statementBounds is where the buckets begin, picoseconds, and where the last one ends.
var statementBounds = func() (b [StatementHistogramBuckets + 1]timers.Picoseconds) {
	bound := float64(firstStatementBound)
	for i := 1; i < StatementHistogramBuckets; i++ {
		b[i] = timers.Picoseconds(bound)
		bound *= statementBoundRatio
	}
	b[StatementHistogramBuckets] = math.MaxUint64
	return b
}()

// StatementHistogramBounds is the range of a bucket, picoseconds from low up to, but
// without, high. The last one's high is the largest number there is. Safe for concurrent use.
func StatementHistogramBounds(bucket int) (low, high timers.Picoseconds) {
	return statementBounds[bucket], statementBounds[bucket+1]
}

// Bounds are compared in whole nanoseconds, as MySQL does: the picoseconds of a bound count
// for nothing.
const statementTick = 1_000

// The table that finds a bucket has cellsPerPower cells between one power of two of
// nanoseconds and the next. A cell is narrower than any bucket, so that at most one bound
// lies in it.
const (
	cellsPerPower = 32
	cellBits      = 5
)

// statementCells is the bucket of the smallest time of each cell.
var statementCells = func() (cells [(64 - cellBits + 1) * cellsPerPower]uint16) {
	bucket := 0
	for i := range cells {
		low := uint64(i) // in the first two rows of cells each number has its own
		if i >= 2*cellsPerPower {
			power := i/cellsPerPower - 1
			low = uint64(cellsPerPower+i%cellsPerPower) << power
		}
		for bucket+1 < StatementHistogramBuckets && low >= statementBounds[bucket+1]/statementTick {
			bucket++
		}
		cells[i] = uint16(bucket)
	}
	return cells
}()

// statementBucket is the bucket of a statement that took ps picoseconds.
func statementBucket(ps timers.Picoseconds) int {
	ns := ps / statementTick
	power := max(bits.Len64(ns)-1-cellBits, 0)
	bucket := int(statementCells[power*cellsPerPower+int(ns>>power)])
	if bucket+1 < StatementHistogramBuckets && ns >= statementBounds[bucket+1]/statementTick {
		bucket++
	}
	return bucket
}

// StatementHistogram is how many timed statements took how long, in MySQL's buckets. The zero
// StatementHistogram is empty. Memory is allocated for blocks of buckets, when one of them counts
// something.
type StatementHistogram struct {
	blocks [StatementHistogramBuckets / histogramBlock]*[histogramBlock]uint64
}

const histogramBlock = 30

// Count is how many statements a bucket has.
func (h *StatementHistogram) Count(bucket int) uint64 {
	if b := h.blocks[bucket/histogramBlock]; b != nil {
		return b[bucket%histogramBlock]
	}
	return 0
}

// Buckets are the buckets that have statements, and how many.
func (h *StatementHistogram) Buckets() iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		for i, block := range h.blocks {
			if block == nil {
				continue
			}
			for j, count := range block {
				if count > 0 && !yield(i*histogramBlock+j, count) {
					return
				}
			}
		}
	}
}

// total is how many statements all buckets have.
func (h *StatementHistogram) total() (n uint64) {
	for _, block := range h.blocks {
		if block != nil {
			for _, count := range block {
				n += count
			}
		}
	}
	return n
}

// count adds n statements to a bucket.
func (h *StatementHistogram) count(bucket int, n uint64) {
	b := &h.blocks[bucket/histogramBlock]
	if *b == nil {
		*b = new([histogramBlock]uint64)
	}
	(*b)[bucket%histogramBlock] += n
}

// add adds the statements of o.
func (h *StatementHistogram) add(o *StatementHistogram) {
	for i, from := range o.blocks {
		if from == nil {
			continue
		}
		if h.blocks[i] == nil {
			h.blocks[i] = new([histogramBlock]uint64)
		}
		for j, n := range from {
			h.blocks[i][j] += n
		}
	}
}

// clear empties the histogram, and keeps its memory.
func (h *StatementHistogram) clear() {
	for _, b := range h.blocks {
		if b != nil {
			clear(b[:])
		}
	}
}

// Quantile is a time in picoseconds that so many thousandths of the statements, rounded up, did not exceed: the end of a bucket; 0 if
// there are no statements.
func (h *StatementHistogram) Quantile(thousandths uint64) timers.Picoseconds {
	return h.quantile(thousandths, h.total())
}

// quantile is the upper bound of the first bucket which, together with those below it, has so many
// thousandths of all statements, rounded up; 0 if there are no statements.
func (h *StatementHistogram) quantile(thousandths, total uint64) timers.Picoseconds {
	if total == 0 {
		return 0
	}
	hi, lo := bits.Mul64(total, thousandths)
	lo, carry := bits.Add64(lo, 999, 0)
	enough, _ := bits.Div64(hi+carry, lo, 1000)
	lower := uint64(0)
	for i, block := range h.blocks {
		if block == nil {
			continue
		}
		for j, n := range block {
			if lower += n; lower >= enough {
				return statementBounds[i*histogramBlock+j+1]
			}
		}
	}
	return math.MaxUint64
}

// recordStatementHistogram counts a timed statement, which took ps picoseconds, in the
// histogram of all statements.
func (r *Registry) recordStatementHistogram(ps timers.Picoseconds) {
	r.statementHistogram.count(statementBucket(ps))
}

// GlobalStatementHistogram is how long all timed statements took, those without a digest
// included. Safe for concurrent use.
func (h Reader) GlobalStatementHistogram() *StatementHistogram {
	sum := new(StatementHistogram)
	h.r.statementHistogram.sum(sum.count)
	return sum
}

// ResetGlobalStatementHistogram empties it. Safe for concurrent use.
func (h Reader) ResetGlobalStatementHistogram() { h.r.statementHistogram.reset() }
