package tables

import "pfsd/instr"

// Numbered reports whether the rows of the summary have numbers: those that have not grown need not be read then, as ReadGrown does. There
// may be very many digests, of which few grow.
func (h *HistoryTable) Numbered() bool { return h.numbered }

// GrownRow is a row of a numbered summary. It is valid until the function returns that gets it.
type GrownRow struct {
	Number uint64
	Times  []TimeCount // how long the statements took that it counts
	get    []func(*instr.DigestRow) Value
	row    *instr.DigestRow
}

// Value is the value of one of the columns that were asked for.
func (r *GrownRow) Value(i int) Value { return r.get[i](r.row) }

// ReadGrown calls each for the rows of a numbered summary that grown wants, by their number and the number of statements that they have
// counted. grown is asked of all rows but number 0, the one of what has no row of its own, which is always read if there is one.
// gone is told of rows that have given their place to others since grown was asked: their statements are in that one now.
func (h *HistoryTable) ReadGrown(model Model, cols []int, grown func(number, count uint64) bool, gone func(number uint64), each func(*GrownRow)) {
	var to GrownRow
	for _, c := range cols {
		to.get = append(to.get, h.summary.(*table[*instr.DigestRow]).def.Columns[c].Get)
	}
	rows := model.Digests(instr.DigestFilter{Grown: grown, Gone: gone, Times: true})
	for i := range rows {
		to.row, to.Number, to.Times = &rows[i], rows[i].Number, to.Times[:0]
		for bucket, n := range rows[i].Times.Buckets() {
			to.Times = append(to.Times, TimeCount{bucket, n})
		}
		each(&to)
	}
}
