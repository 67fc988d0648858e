// Who waits for whom, as a graph: the part of the lock graph that does not draw.

export const mostNodes = 100, mostEdges = 400 // of a picture
const mostColumns = 9

// layers places the threads of waits in columns: a thread stands to the right of those that block it. It follows each wait once: a walk
// along each way would take time that doubles with each layer. Of threads that wait in a circle, the first that is met stands to the left.
// It returns the threads by id, the waits between them, and how many of both are left out.
export function layers(waits) {
  const nodes = new Map(), blockedBy = new Map(), edges = []
  let edgesLeftOut = 0
  const leftOut = new Set()
  const node = (id, name, at) => {
    if (!nodes.has(id)) {
      if (nodes.size >= mostNodes) {
        leftOut.add(id)
        return null
      }
      nodes.set(id, { id, name, at, column: -1 })
    }
    return nodes.get(id)
  }
  for (const w of waits) {
    if (!w.blocking_thread_id) continue
    const from = node(w.thread_id, w.thread, w.waits_at), to = node(w.blocking_thread_id, w.blocking_thread, w.blocking_locked_at)
    if (!from || !to || edges.length >= mostEdges) {
      edgesLeftOut++
      continue
    }
    from.at = w.waits_at
    edges.push({ from, to })
    if (!blockedBy.has(from)) blockedBy.set(from, [])
    blockedBy.get(from).push(to)
  }
  let steps = 0
  for (const start of nodes.values()) {
    const path = [{ node: start, next: 0, deepest: 0 }]
    const walked = new Set([start])
    if (start.column >= 0) continue
    while (path.length) {
      const top = path[path.length - 1], blockers = blockedBy.get(top.node) || []
      steps++
      if (top.next < blockers.length) {
        const b = blockers[top.next++]
        if (b.column >= 0) top.deepest = Math.max(top.deepest, b.column + 1)
        else if (!walked.has(b)) {
          walked.add(b)
          path.push({ node: b, next: 0, deepest: 0 })
        }
        continue
      }
      path.pop()
      top.node.column = Math.min(mostColumns - 1, top.deepest)
      const below = path[path.length - 1]
      if (below) below.deepest = Math.max(below.deepest, top.node.column + 1)
    }
  }
  for (const n of nodes.values()) n.isRoot = !blockedBy.has(n)
  return { nodes, edges, nodesLeftOut: leftOut.size, edgesLeftOut, steps }
}
