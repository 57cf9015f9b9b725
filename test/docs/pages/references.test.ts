import { expect, test } from 'bun:test'

const ROOT = new URL('../../../', import.meta.url)

/** Headings of a page as anchors. */
async function anchors(page: URL): Promise<ReadonlySet<string>> {
  const text = await Bun.file(page).text()
  const headings = text.matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, heading]) =>
      (heading ?? '')
        .toLowerCase()
        .replaceAll(' ', '-')
        .replace(/[^\w-]/g, ''),
    ),
  )
}

/** Every page that links to others. */
async function pages(): Promise<readonly string[]> {
  const root = Bun.fileURLToPath(ROOT)
  const docs = await Array.fromAsync(new Bun.Glob('docs/**/*.md').scan(root))
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/results/README.md', ...docs.toSorted()]
}

test('every @see of the source names a section that exists', async () => {
  const dangling: string[] = []
  let found = 0
  for await (const file of new Bun.Glob('src/**/*.ts').scan(Bun.fileURLToPath(ROOT))) {
    const source = await Bun.file(new URL(file, ROOT)).text()
    for (const [, page, anchor] of source.matchAll(/@see (docs\/\S+\.md)(?:#(\S+))?/g)) {
      found++
      const known = await anchors(new URL(page ?? '', ROOT))
      if (anchor !== undefined && !known.has(anchor)) dangling.push(`${file}: ${page}#${anchor}`)
    }
  }
  expect(found).toBeGreaterThan(10)
  expect(dangling).toEqual([])
})

test('every link between the pages leads to a file, and to a section of it', async () => {
  const missing: string[] = []
  for (const page of await pages()) {
    const text = await Bun.file(new URL(page, ROOT)).text()
    for (const [, target = '', anchor] of text.matchAll(/\]\(([^)#:]*)(?:#([^)]*))?\)/g)) {
      const file = new URL(target === '' ? page : target, target === '' ? ROOT : new URL(page, ROOT))
      const isThere = await Bun.file(file).exists()
      const isKnown = isThere && (anchor === undefined || (await anchors(file)).has(anchor))
      if (!isKnown) missing.push(`${page}: ${target}#${anchor ?? ''}`)
    }
  }
  expect(missing).toEqual([])
})

test('docs/README.md is the index of all documents', async () => {
  const text = await Bun.file(new URL('docs/README.md', ROOT)).text()
  const linked = new Set([...text.matchAll(/\]\(([^)#:]+\.md)/g)].map(([, page = '']) => page))
  const all = await Array.fromAsync(new Bun.Glob('**/*.md').scan(Bun.fileURLToPath(new URL('docs', ROOT))))
  expect(all.filter((page) => page !== 'README.md' && !linked.has(page))).toEqual([])
})
