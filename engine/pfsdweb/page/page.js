// The page. Values of the server become text nodes only.

import { layers } from './graph.js'

const $ = id => document.getElementById(id)
const views = { Load: showLoad, Locks: showLocks, Flames: showFlames, Compare: showCompare, Settings: showSettings }
const state = { view: 'Load', chosen: null, write: false, shown: 0 }
const colours = ['#3b82c4', '#e08a2e', '#3f9e5f', '#c94f4f', '#8f6bb8', '#9a7156', '#d172ae', '#7c8894', '#b0a92f', '#35a9b5']

function el(name, props, ...children) {
  const e = document.createElement(name)
  for (const [k, v] of Object.entries(props || {})) k in e ? (e[k] = v) : e.setAttribute(k, v)
  e.append(...children)
  return e
}

function svg(name, attributes, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v)
  e.append(...children)
  return e
}

// library loads a script when it is first needed, so that the page is there before what draws in it.
const scripts = new Map()
function library(src) {
  if (!scripts.has(src)) {
    scripts.set(src, new Promise((loaded, failed) => document.head.append(el('script', { src, onload: loaded, onerror() {
      scripts.delete(src)
      failed(new Error(`${src} cannot be loaded.`))
    } }))))
  }
  return scripts.get(src)
}

async function call(path, body) {
  const options = body === undefined ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Pfsd': '1' }, body: JSON.stringify(body) }
  const response = await fetch('api/' + path, options)
  const value = await response.json()
  if (response.ok) return value
  if (response.status === 401 && path !== 'login') showLogin()
  throw new Error(value.number ? `${value.error} (error ${value.number})` : value.error)
}

function showError(err) {
  $('error').textContent = err ? err.message : ''
  $('error').hidden = !err
}

// period returns the chosen period of time, in milliseconds since 1970.
function period() {
  if (state.chosen) return state.chosen
  const to = Date.now()
  return { from: to - 1000 * $('period').value, to }
}

// localTime writes a time as an input of times wants it.
const localTime = ms => new Date(ms - 60000 * new Date(ms).getTimezoneOffset()).toISOString().slice(0, 19)

const query = (name, p) => call(`query/${name}?from=${Math.round(p.from)}&to=${Math.round(p.to)}`)

// objects returns the rows of a result as objects, by column.
const objects = r => r.rows.map(row => Object.fromEntries(row.map((v, i) => [r.columns[i], v])))

// compared are the columns of a comparison that have numbers, with their titles.
const compared = {
  active_sessions_before: 'active before', active_sessions_after: 'active after', difference: 'difference',
  per_second_before: 'per s before', per_second_after: 'per s after', mean_ms_before: 'mean ms before', mean_ms_after: 'mean ms after', times: 'mean ×',
  worst_95_ms_before: '95 % ms before', worst_95_ms_after: '95 % ms after', errors_after: 'errors after'
}
const numeric = new Set(['seconds', 'waiting_seconds', 'threads', 'blocked', 'blocking_thread_id', 'thread_id', ...Object.keys(compared)])

// digits are how many of them a number has behind its point; 1 if the column is not here.
const digits = { ...Object.fromEntries(Object.keys(compared).map(c => [c, 3])), times: 1, errors_after: 0 }

// table shows rows; the title of a column sorts by it.
function table(title, rows, columns) {
  const body = el('tbody')
  const draw = () => body.replaceChildren(...rows.map(r => el('tr', {}, ...columns.map(c => {
    const v = r[c]
    if (v instanceof Node) return el('td', {}, v)
    const shown = v == null ? '' : typeof v === 'number' ? v.toFixed(digits[c] ?? 1) : v
    return el('td', { className: numeric.has(c) ? 'number' : '' }, shown)
  }))))
  const heads = columns.map(c => {
    const th = el('th', { scope: 'col', className: numeric.has(c) ? 'number' : '' })
    th.append(el('button', {
      textContent: compared[c] ?? c.replaceAll('_', ' '),
      onclick() {
        const down = th.getAttribute('aria-sort') !== 'descending'
        heads.forEach(h => h.removeAttribute('aria-sort'))
        th.setAttribute('aria-sort', down ? 'descending' : 'ascending')
        const order = (a, b) => numeric.has(c) ? (a[c] ?? -Infinity) - (b[c] ?? -Infinity) : String(a[c] ?? '').localeCompare(String(b[c] ?? ''))
        rows.sort((a, b) => down ? order(b, a) : order(a, b))
        draw()
      }
    }))
    return th
  })
  draw()
  return el('section', {}, el('h2', { textContent: title }), rows.length
    ? el('div', { className: 'table' }, el('table', { ariaLabel: title }, el('thead', {}, el('tr', {}, ...heads)), body))
    : el('p', { className: 'weak', textContent: 'Nothing.' }))
}

function seconds(rows) {
  for (const r of rows) {
    r.seconds = Number(r.seconds)
    if ('waiting' in r) r.waiting_seconds = Number(r.waiting)
  }
  return rows
}

async function showLoad(p) {
  const now = state.chosen ? null : call('query/waiting').catch(() => null) // an account may see samples alone
  const [load, waits, statements, blockers] = await Promise.all([...['load', 'waits', 'statements', 'blockers'].map(name => query(name, p)), library('uplot.js')])
  const waiting = await now
  const chart = el('div', { id: 'chart', role: 'img', ariaLabel: 'Active threads over time, by wait class' })
  return [...waiting ? [table('What waits now', objects(waiting), ['waits_for', 'waiting', 'waits_at', 'blocking_thread', 'blocking_waits_at', 'blocking_locked_at', 'blocking_held', 'certain', 'thread', 'started_at', 'object', 'statement'])] : [],
    el('h2', { textContent: 'Active threads' }), chart,
    table('Top waits', seconds(objects(waits)), ['event', 'object', 'source', 'wait_class', 'seconds', 'threads']),
    table('Statements', seconds(objects(statements)), ['query', 'db', 'seconds', 'waiting_seconds', 'threads']),
    table('Blockers', seconds(objects(blockers)), ['user', 'query', 'locked_at', 'waits_for', 'event', 'object', 'blocked', 'seconds', 'blocking_thread_id']),
    () => drawLoad(chart, load, p)]
}

// drawLoad draws stacked areas, the largest class at the bottom, and hatches time of which there are no samples.
function drawLoad(into, load, p) {
  const stretches = load.stretches
  const classes = new Map() // class -> how many seconds threads were active in it
  for (const s of stretches) for (const [name, active] of Object.entries(s.active)) classes.set(name, (classes.get(name) ?? 0) + active * (s.to - s.from))
  const ordered = [...classes.keys()].sort((a, b) => classes.get(b) - classes.get(a))
  const times = [], own = ordered.map(() => []), gaps = []
  const point = (at, active) => {
    times.push(at / 1000)
    own.forEach((values, i) => values.push(active && (active[ordered[i]] ?? 0)))
  }
  const gap = (from, to) => {
    if (to - from < 100) return
    gaps.push([from / 1000, to / 1000])
    point(from + 1, null)
  }
  let at = p.from
  for (const s of stretches) {
    gap(at, s.from)
    point(s.from + 2, s.active)
    point(s.to - 2, s.active)
    at = s.to
  }
  gap(at, p.to)
  const stacked = times.map(() => 0)
  const areas = ordered.map((name, i) => ({ name, own: own[i], colour: colours[i % colours.length], values: own[i].map((v, k) => v == null ? null : (stacked[k] += v)) }))
  const data = [times], series = [{}]
  for (const a of areas.reverse()) { // the highest first, so that the lower ones cover it
    data.push(a.values)
    series.push({ label: a.name, stroke: a.colour, fill: a.colour, width: 1, points: { show: false }, value: (u, v, s, i) => i == null ? '' : a.own[i] == null ? 'no samples' : a.own[i].toFixed(2) })
  }
  if (!areas.length) { // the axes are drawn where nobody was active, too
    data.push(times.map(() => null))
    series.push({ label: 'nobody', points: { show: false } })
  }
  const style = getComputedStyle(document.documentElement)
  const axis = { stroke: style.getPropertyValue('--weak'), grid: { stroke: style.getPropertyValue('--line') }, ticks: { stroke: style.getPropertyValue('--line') } }
  into.dataset.gaps = gaps.length
  if (gaps.length) into.after(el('p', { className: 'weak', textContent: 'Where the chart is hatched, there are no samples: nothing is known of that time.' }))
  const hatch = u => {
    const { ctx, bbox } = u
    ctx.save()
    ctx.strokeStyle = style.getPropertyValue('--weak')
    ctx.globalAlpha = 0.35
    for (const [from, to] of gaps) {
      const left = Math.max(bbox.left, u.valToPos(from, 'x', true)), right = Math.min(bbox.left + bbox.width, Math.max(left + 1, u.valToPos(to, 'x', true)))
      ctx.save()
      ctx.beginPath()
      ctx.rect(left, bbox.top, right - left, bbox.height)
      ctx.clip()
      ctx.beginPath()
      for (let x = left - bbox.height; x < right; x += 8) {
        ctx.moveTo(x, bbox.top + bbox.height)
        ctx.lineTo(x + bbox.height, bbox.top)
      }
      ctx.stroke()
      ctx.restore()
    }
    ctx.restore()
  }
  new uPlot({
    width: into.clientWidth, height: 240, series, axes: [axis, axis], scales: { x: { range: () => [p.from / 1000, p.to / 1000] }, y: { range: (u, low, high) => [0, Math.max(1, high || 0)] } },
    cursor: { drag: { setScale: false } },
    hooks: { draw: [hatch], setSelect: [u => {
      if (u.select.width < 5) return
      state.chosen = { from: 1000 * u.posToVal(u.select.left, 'x'), to: 1000 * u.posToVal(u.select.left + u.select.width, 'x') }
      show()
    }] }
  }, data, into)
}

const shownLocks = 200

async function showLocks() {
  const locks = objects(await call('query/locks'))
  const more = locks.length > shownLocks // the server sends one more than are shown
  locks.splice(shownLocks)
  const deadlocks = objects(await call('query/deadlocks'))
  return [el('h2', { textContent: 'Lock graph' }), el('div', { className: 'graph', id: 'graph' }, lockGraph(locks)),
    ...more ? [el('p', { className: 'weak', textContent: `There are more waits: only ${shownLocks} of them are shown.` })] : [],
    table('Threads that wait', locks, ['waiting', 'thread', 'waits_at', 'event', 'object', 'blocking_thread', 'blocking_locked_at', 'blocking_held', 'blocking_waits_for', 'certain']),
    table('Deadlocks', deadlocks, ['deadlock', 'thread', 'event', 'object', 'waits_at', 'waiting', 'blocking_locked_at'])]
}

// lockGraph draws who waits for whom, and says what it leaves out.
function lockGraph(locks) {
  if (!locks.length) return el('p', { className: 'weak', textContent: 'No thread waits for a lock.' })
  const { nodes, edges, nodesLeftOut, edgesLeftOut } = layers(locks)
  const columns = []
  for (const n of nodes.values()) {
    columns[n.column] ||= 0
    n.x = n.column * 300
    n.y = columns[n.column]++ * 54
  }
  const width = 300 * columns.length, height = 54 * Math.max(0, ...columns.filter(Boolean))
  const picture = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Who waits for whom' })
  for (const { from, to } of edges) picture.append(svg('path', { d: `M${from.x} ${from.y + 22} L${to.x + 240} ${to.y + 22}` }))
  for (const n of nodes.values()) picture.append(svg('g', { class: n.isRoot ? 'root' : '', transform: `translate(${n.x + 1} ${n.y + 1})` },
    svg('title', {}, `${n.name} ${n.at ?? ''}`), svg('rect', { width: 238, height: 42, rx: 4 }),
    svg('text', { x: 8, y: 17 }, `${n.id} ${(n.name ?? '').replace('thread/', '')}`.slice(0, 36)), svg('text', { x: 8, y: 34 }, (n.at ?? '').slice(-36))))
  if (!nodesLeftOut && !edgesLeftOut) return picture
  return el('div', {}, el('p', { className: 'weak', textContent: `Not drawn: ${nodesLeftOut} threads, ${edgesLeftOut} waits.` }), picture)
}

async function showFlames(p) {
  const [tree] = await Promise.all([call(`flame?from=${Math.round(p.from)}&to=${Math.round(p.to)}`), library('d3.js').then(() => library('flamegraph.js'))])
  const into = el('div', { id: 'flames' }), details = el('p', { className: 'weak', role: 'status', textContent: 'Seconds by thread, statement, stage, wait and line. Click on a frame to enlarge it.' })
  return [el('h2', { textContent: 'Flame graph of wait time' }), details, into, () => {
    const say = d => { details.textContent = `${d.data.name}: ${d.data.value.toFixed(1)} s, ${(100 * d.data.value / Math.max(tree.value, 1e-9)).toFixed(1)} %` }
    const chart = flamegraph.default().width(into.clientWidth).inverted(true).cellHeight(20).minFrameSize(1).selfValue(false).tooltip(false).transitionDuration(0).onHover(say).onClick(say)
    d3.select(into).datum(tree).call(chart)
  }]
}

async function showCompare(p) {
  const { active, counted } = await call(`compare?from=${Math.round(p.from)}&to=${Math.round(p.to)}`)
  const weak = textContent => el('p', { className: 'weak', textContent })
  const rows = (r, kind) => objects(r).filter(row => row.kind === kind).map(row => {
    for (const c of r.columns) if (c in compared && row[c] != null) row[c] = Number(row[c])
    return { ...row, query: row.name, event: row.name, db: row.object }
  })
  const count = kind => rows(counted, kind).map(row => ({ ...row, query: row.name ?? 'all others', event: row.name ?? 'all others' }))
  const counts = ['per_second_before', 'per_second_after', 'mean_ms_before', 'mean_ms_after', 'times', 'worst_95_ms_before', 'worst_95_ms_after']
  const activity = ['active_sessions_before', 'active_sessions_after', 'difference']
  return [weak('The period, and the one of the same length before it: how many threads were active in a statement or a wait, on average; ' + (counted
    ? 'and how often these ran, and how long they took, in the buckets of time that the periods touch. What grew most comes first.'
    : 'how often these ran, and how long they took, an account sees that has SELECT on history.*.')),
    table('Statements that changed', rows(active, 'statement'), ['query', 'db', ...activity]),
    ...counted ? [table('Statements counted', count('statement'), ['query', 'db', ...counts, 'errors_after'])] : [],
    table('Waits that changed', rows(active, 'wait'), ['event', 'object', 'source', ...activity]),
    ...counted ? [table('Waits counted', count('wait'), ['event', ...counts])] : []]
}

async function showSettings() {
  const parts = []
  for (const kind of ['consumers', 'instruments']) {
    const rows = objects(await call('query/' + kind))
    for (const r of rows) {
      const box = el('input', { type: 'checkbox', checked: r.enabled === 'YES', disabled: !state.write, ariaLabel: r.name })
      box.onchange = () => call('setting', { kind, name: r.name, on: box.checked }).then(() => showError(), err => { box.checked = !box.checked; showError(err) })
      r.on = box
    }
    parts.push(table(kind === 'consumers' ? 'Consumers' : 'Instruments', rows, ['name', 'on']))
  }
  return [el('p', { className: 'weak', textContent: state.write ? 'Changes take effect at once.' : 'Read only: pfsd was started without --web-write.' }), ...parts]
}

// show shows the chosen view. If another one is chosen meanwhile, it shows nothing.
async function show() {
  const turn = ++state.shown
  const p = period()
  for (const b of $('tabs').children) b.textContent.endsWith(state.view) ? b.setAttribute('aria-current', 'page') : b.removeAttribute('aria-current')
  for (const end of ['from', 'to']) $('range').elements[end].value = localTime(p[end])
  try {
    const parts = await views[state.view](p)
    if (turn !== state.shown) return
    showError()
    $('view').replaceChildren(...parts.filter(x => x instanceof Node))
    parts.filter(x => typeof x === 'function').forEach(f => f())
    $('view').dataset.shown = state.view
  } catch (err) {
    if (turn === state.shown) { $('view').replaceChildren(); showError(err) }
  }
}

function choose(view) {
  state.view = view
  location.hash = view
  return show()
}

function showLogin() {
  state.shown++
  for (const id of ['tabs', 'window', 'logout']) $(id).hidden = true
  $('user').textContent = ''
  $('view').replaceChildren()
  $('login').hidden = false
  $('login').elements.user.focus()
}

function enter(session) {
  state.write = session.write
  $('user').textContent = session.user
  for (const id of ['tabs', 'window', 'logout']) $(id).hidden = false
  $('login').hidden = true
  return choose(views[location.hash.slice(1)] ? location.hash.slice(1) : 'Load')
}

function setTheme(dark) {
  document.documentElement.classList.toggle('dark', dark)
}

const toggleTheme = () => {
  const dark = !document.documentElement.classList.contains('dark')
  setTheme(dark)
  localStorage.setItem('dark', dark)
  if ($('login').hidden) show()
}

setTheme(localStorage.getItem('dark') ? localStorage.getItem('dark') === 'true' : matchMedia('(prefers-color-scheme: dark)').matches)
Object.keys(views).forEach((v, i) => $('tabs').append(el('button', { textContent: v, title: `Key ${i + 1}`, onclick: () => choose(v) })))
$('theme').onclick = toggleTheme
$('keys').onclick = () => $('help').showModal()
$('refresh').onclick = show
$('period').onchange = () => { state.chosen = null; show() }
$('range').onsubmit = event => {
  event.preventDefault()
  const { from, to } = $('range').elements
  const p = { from: new Date(from.value).getTime(), to: new Date(to.value).getTime() }
  if (!(p.from < p.to)) return showError(new Error('The period ends before it begins.'))
  state.chosen = p
  show()
}
$('logout').onclick = () => call('logout', {}).then(showLogin, showError)
$('login').onsubmit = event => {
  event.preventDefault()
  const { user, password } = $('login').elements
  call('login', { user: user.value, password: password.value }).then(s => { password.value = ''; showError(); return enter(s) }, showError)
}
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.altKey || event.metaKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName) || $('help').open) return
  const names = Object.keys(views)
  if (event.key === '?') $('help').showModal()
  else if (event.key === 'l') toggleTheme()
  else if (!$('login').hidden) return
  else if (event.key === 'r') show()
  else if (names[event.key - 1]) choose(names[event.key - 1])
})
call('session').then(s => s.user ? enter(s) : showLogin(), showError)
