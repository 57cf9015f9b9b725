/** Rules files of many nodes, the same in every run. */

type Rules = Record<string, unknown>

const DEPTH = 30
const BRANCHES = 10

/** Number of the node above, -1 at the root. */
type Parent = (node: number) => number

/** How the nodes stand: side by side, in chains, or as a tree of even branches. */
const PARENTS = {
  wide: () => -1,
  deep: (node) => (node % DEPTH === 0 ? -1 : node - 1),
  even: (node) => Math.floor(node / BRANCHES) - 1,
} as const satisfies Record<string, Parent>
export type Shape = keyof typeof PARENTS
export const SHAPES = Object.keys(PARENTS) as Shape[]

/** An expression of one operator, of two, and so on; no two are alike when their numbers are not. */
const EXPRESSIONS: readonly ((number: number) => string)[] = [
  (number) => `now > ${number}`,
  (number) => `data.child('n').val() + 1 > ${number}`,
  (number) => `auth != null && auth.uid === 'user-${number}'`,
  (number) => `root.child('members/' + auth.uid).exists() && data.child('n').val() - 1 !== ${number}`,
  (number) => `auth.uid === 'user-${number}' || root.child('members/' + auth.uid).exists() && data.val() % 2 === 1`,
]
const KINDS = ['.read', '.write', '.validate']

/**
 * A file of so many nodes in that shape, each with a rule.
 * @param distinct whether no two rules are alike. Otherwise there is one of each kind and number of operators.
 */
export function rulesOfShape(shape: Shape, nodes: number, distinct: boolean): string {
  const root: Rules = {}
  const made: Rules[] = []
  for (let node = 0; node < nodes; node++) {
    const rules: Rules = {
      [KINDS[node % KINDS.length] ?? '']: EXPRESSIONS[node % EXPRESSIONS.length]?.(distinct ? node : 0),
    }
    const above = made[PARENTS[shape](node)] ?? root
    above[`node-${node}`] = rules
    made.push(rules)
  }
  return print(root)
}

/** Users read what is their own, and so many nodes in all stand beside the one that says so. */
export function rulesAmong(nodes: number): string {
  const siblings: Rules = { $user: { '.read': 'auth.uid === $user' } }
  // The list itself and the one with the rule are nodes too.
  for (let node = 2; node < nodes; node++) siblings[`node-${node}`] = { '.read': EXPRESSIONS[0]?.(node) }
  return print({ users: siblings })
}

function print(rules: Rules): string {
  return JSON.stringify({ rules }, undefined, 2)
}
