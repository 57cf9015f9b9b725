/** What is copied as a program. */
export interface Copied {
  /** Address with all parameters, without a credential. */
  readonly url: URL
  readonly path: readonly string[]
  readonly parameters: Readonly<Record<string, string>>
}

/** Forms that a query can be copied in. The credential stands for one that the reader has. */
export const FORMS: Readonly<Record<string, (copied: Copied) => string>> = {
  curl: ({ url }) => `curl ${shellQuoted(url.href)} \\\n  -H ${shellQuoted('Authorization: Bearer TOKEN')}`,
  fetch: ({ url }) =>
    `const reply = await fetch(${JSON.stringify(url.href)}, {\n` +
    "  headers: { Authorization: 'Bearer TOKEN' },\n})\nconst data = await reply.json()",
  EventSource: ({ url }) => {
    const address = new URL(url)
    address.searchParams.set('auth', 'TOKEN')
    return (
      `const source = new EventSource(${JSON.stringify(address.href)})\n` +
      "for (const kind of ['put', 'patch']) {\n" +
      '  source.addEventListener(kind, ({ data }) => console.log(kind, JSON.parse(data)))\n}'
    )
  },
  SDK: ({ path, parameters }) => {
    const constraints = Object.entries(parameters).map(([name, value]) => constraintOf(name, value))
    return (
      "import { getDatabase, onValue, query, ref } from 'firebase/database'\n" +
      `// and ${[...new Set(constraints.map((text) => text.split('(', 1)[0]))].join(', ')}\n\n` +
      `const chosen = query(\n  ref(getDatabase(), ${JSON.stringify(path.join('/'))}),\n` +
      `${constraints.map((text) => `  ${text},\n`).join('')})\n` +
      'onValue(chosen, (snapshot) => console.log(snapshot.val()))'
    )
  },
}

const ORDERS: Readonly<Record<string, string>> = {
  '"$key"': 'orderByKey()',
  '"$value"': 'orderByValue()',
  '"$priority"': 'orderByPriority()',
}

function constraintOf(name: string, value: string): string {
  if (name !== 'orderBy') return `${name}(${value})`
  return ORDERS[value] ?? `orderByChild(${value})`
}

/** One word of a shell, whatever it holds. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
