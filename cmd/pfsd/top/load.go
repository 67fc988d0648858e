package top

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	samples "pfsd/engine/load"
)

// A load is how many threads were active on average, by what they waited for, in steps of the same length.
type load struct {
	step   int64                        // seconds
	points map[int64]map[string]float64 // by the time of the step, in steps since 1970
	gaps   map[int64]bool               // the steps of which nothing is known
}

// loadOf returns the load that an answer to loadNow has.
func loadOf(a *Answer, step int64) load {
	l := load{step: step, points: map[int64]map[string]float64{}}
	l.add(a)
	return l
}

// loadFrom returns the load of a window from the stretches of time that samples cover. A step has the average of its part that is covered.
func loadFrom(pieces []samples.Piece, step int64, w Window) load {
	l := load{step: step, points: map[int64]map[string]float64{}, gaps: map[int64]bool{}}
	first := w.From.Unix() / step
	for at := first; at < max(first+1, w.To.Unix()/step); at++ {
		begin, covered, point := float64(at*step), 0.0, map[string]float64{}
		for len(pieces) > 0 && pieces[0].To <= begin {
			pieces = pieces[1:]
		}
		for _, p := range pieces {
			part := min(p.To, begin+float64(step)) - max(p.From, begin)
			if part <= 0 {
				break
			}
			covered += part
			for class, active := range p.Active {
				point[shortClass(class)] += active * part
			}
		}
		for class := range point {
			point[class] /= covered
		}
		l.points[at], l.gaps[at] = point, covered == 0
	}
	return l
}

// add adds the points of an answer.
func (l *load) add(a *Answer) {
	for _, row := range a.Rows {
		at, ok := row[0].number()
		active, valid := row[2].number()
		if !ok || !valid || active <= 0 || math.IsInf(active, 0) || math.Abs(at) > 1e12 {
			continue
		}
		class := shortClass(row[1].Text)
		if l.points[int64(at)] == nil {
			l.points[int64(at)] = map[string]float64{}
		}
		l.points[int64(at)][class] += active
	}
}

// forget removes the points before a time.
func (l *load) forget(before int64) {
	maps.DeleteFunc(l.points, func(at int64, _ map[string]float64) bool { return at < before })
}

// shortClass is a wait class without the part that all have.
func shortClass(class string) string {
	class = strings.TrimPrefix(class, "wait/")
	for _, before := range []string{"io/", "synch/", "lock/"} {
		class = strings.TrimPrefix(class, before)
	}
	return class
}

// A share is a class and how many threads were active in it.
type share struct {
	class  string
	active float64
}

// shares are the classes of some points, the one with most activity first, on average over those of the count points that are known.
func (l load) shares(from, count int64) (all []share) {
	sum, known := map[string]float64{}, 0
	for at := from; at < from+count; at++ {
		if !l.gaps[at] {
			known++
		}
		for class, active := range l.points[at] {
			sum[class] += active
		}
	}
	for class, active := range sum {
		all = append(all, share{class, active / float64(max(1, known))})
	}
	slices.SortFunc(all, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.active, a.active), cmp.Compare(a.class, b.class))
	})
	return all
}

// paints are the colours of the classes, and the letters that stand for them without colours.
type paint struct {
	letter byte
	colour int // of the 16 that each terminal has
}

// paintOf returns how a class is drawn: those that there are often have one of their own.
func paintOf(class string) paint {
	known := map[string]paint{"CPU*": {'C', 2}, "mutex": {'M', 1}, "sxlock": {'X', 5}, "rwlock": {'R', 5}, "cond": {'D', 4}, "file": {'F', 3}, "socket": {'S', 6},
		"table": {'T', 12}, "row": {'W', 9}, "metadata": {'E', 13}, "idle": {'I', 8}, "chan": {'H', 14}, "user": {'U', 11}, "query": {'Q', 10}}
	if p, ok := known[class]; ok {
		return p
	}
	sum := 0
	for i := range len(class) {
		sum = sum*31 + int(class[i])
	}
	return paint{"abcdefghijklmnopqrstuvwxyz"[uint(sum)%26], 9 + int(uint(sum)%6)}
}

// A brush draws with colours or without.
type brush struct{ colours bool }

// bar is a part of a stacked bar: n cells of a class.
func (b brush) bar(class string, n int) string {
	if n <= 0 {
		return ""
	}
	p := paintOf(class)
	if !b.colours {
		return strings.Repeat(string(p.letter), n)
	}
	return b.in(p.colour, strings.Repeat("█", n))
}

// in is a text in a colour.
func (b brush) in(colour int, text string) string {
	if !b.colours || text == "" {
		return text
	}
	code := 30 + colour
	if colour > 7 {
		code = 90 + colour - 8
	}
	return "\x1b[" + strconv.Itoa(code) + "m" + text + "\x1b[m"
}

// with is a text in bold or reversed.
func (b brush) with(code int, text string) string {
	if !b.colours {
		return text
	}
	return "\x1b[" + strconv.Itoa(code) + "m" + text + "\x1b[m"
}

const (
	bold     = 1
	reversed = 7
)

// legend names the classes, with their paint and how much there is of them.
func (b brush) legend(all []share) string {
	var parts []string
	for _, s := range all {
		parts = append(parts, b.bar(s.class, 1)+" "+s.class+" "+strconv.FormatFloat(s.active, 'f', 2, 64))
	}
	return strings.Join(parts, "  ")
}

// stack is one line: the shares side by side, at most width cells for scale threads.
func (b brush) stack(all []share, width int, scale float64) string {
	var line strings.Builder
	used, sum := 0, 0.0
	for _, s := range all {
		sum += s.active
		end := min(width, int(math.Round(sum/scale*float64(width))))
		line.WriteString(b.bar(s.class, end-used))
		used = max(used, end)
	}
	return line.String()
}

// axis is how many cells the numbers at the left of a chart take.
const axis = 7

// gapMark stands at the bottom of a column of which nothing is known.
const gapMark = "·"

// chart draws the points from on as stacked columns, in a field of so many cells: time goes to the right.
func (b brush) chart(l load, from int64, width, height int) (lines []string) {
	columns := width - axis
	if columns < 1 || height < 2 {
		return nil
	}
	order, most := l.shares(from, int64(columns)), 0.0
	for at := from; at < from+int64(columns); at++ {
		sum := 0.0
		for _, active := range l.points[at] {
			sum += active
		}
		most = max(most, sum)
	}
	scale, rows := niceScale(most), height-1
	grid := make([][]string, columns) // the classes of each column, from below
	for i := range grid {
		if l.gaps[from+int64(i)] {
			grid[i] = []string{gapMark}
			continue
		}
		sum, point := 0.0, l.points[from+int64(i)]
		for _, s := range order {
			sum += point[s.class]
			for len(grid[i]) < int(math.Round(sum/scale*float64(rows))) {
				grid[i] = append(grid[i], s.class)
			}
		}
	}
	for r := rows - 1; r >= 0; r-- {
		label := strings.Repeat(" ", axis)
		switch r {
		case rows - 1:
			label = fmt.Sprintf("%5.4g |", scale)
		case 0:
			label = "    0 |"
		}
		var line strings.Builder
		line.WriteString(label)
		for i := 0; i < columns; {
			class, n := "", 0
			for ; i < columns; i, n = i+1, n+1 {
				c := ""
				if r < len(grid[i]) {
					c = grid[i][r]
				}
				if n > 0 && c != class {
					break
				}
				class = c
			}
			switch class {
			case "":
				line.WriteString(strings.Repeat(" ", n))
			case gapMark:
				line.WriteString(strings.Repeat(gapMark, n))
			default:
				line.WriteString(b.bar(class, n))
			}
		}
		lines = append(lines, line.String())
	}
	first := time.Unix(from*l.step, 0).Format("15:04:05")
	last := time.Unix((from+int64(columns))*l.step, 0).Format("15:04:05")
	if columns >= len(first)+len(last)+2 {
		first += strings.Repeat(" ", columns-len(first)-len(last)) + last
	}
	return append(lines, strings.Repeat(" ", axis)+first)
}

// niceScale is a round number that is at least most.
func niceScale(most float64) float64 {
	if !(most > 1) || math.IsInf(most, 0) {
		return 1
	}
	ten := math.Pow(10, math.Floor(math.Log10(most)))
	for _, n := range []float64{1, 2, 5} {
		if n*ten >= most {
			return n * ten
		}
	}
	return 10 * ten
}

// answer returns the load as rows: the time of each point in UTC, a class, and how many threads were active; NULL where nothing is known.
func (l load) answer() *Answer {
	a := &Answer{Columns: []Column{{"time", Moment}, {"class", Text}, {"active", Count}}}
	for _, at := range slices.Sorted(maps.Keys(l.points)) {
		if l.gaps[at] {
			a.Rows = append(a.Rows, []Value{{Text: time.Unix(at*l.step, 0).UTC().Format(time.DateTime)}, {Null: true}, {Null: true}})
		}
		for _, s := range l.shares(at, 1) {
			a.Rows = append(a.Rows, []Value{{Text: time.Unix(at*l.step, 0).UTC().Format(time.DateTime)}, {Text: s.class}, {Text: strconv.FormatFloat(s.active, 'f', 3, 64)}})
		}
	}
	return a
}
