/** Prints what failed and why, and `N passed, N failed, N skipped`, from the JUnit reports of the test runner. */
const MOST_CHARACTERS = 4000
const CODES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#10': '\n' }

const files = process.argv.slice(2)
if (files.length === 0) throw new Error('usage: summary.ts junit.xml...')

const total = { passed: 0, failed: 0, skipped: 0 }
for (const file of files) {
  const report = await Bun.file(file).text()
  const root = /<testsuites\b[^>]*>/.exec(report)?.[0]
  if (root === undefined) throw new Error(`no <testsuites> in ${file}`)
  const count = (name: string) => Number(attribute(root, name) ?? 0)
  const failed = count('failures') + count('errors')
  const skipped = count('skipped')
  total.failed += failed
  total.skipped += skipped
  total.passed += count('tests') - failed - skipped
  for (const failure of failuresIn(report)) process.stdout.write(`\n${failure}\n`)
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)

/** File, name and reason of each test that failed. */
function failuresIn(report: string): string[] {
  const cases = report.matchAll(/(<testcase\b[^>]*[^/]>)(.*?)<\/testcase>/gs)
  return [...cases].flatMap(([, test = '', inside = '']) => {
    const [, reason] = /<(?:failure|error)\b[^>]*?(?:\/>|>([^<]*)<)/.exec(inside) ?? []
    if (reason === undefined && !/<(?:failure|error)\b/.test(inside)) return []
    const place = `${attribute(test, 'file')}: ${attribute(test, 'name')}`
    return [`FAILED ${decoded(place)}\n${decoded(reason ?? 'no reason is reported').slice(0, MOST_CHARACTERS)}`]
  })
}

function attribute(element: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(element)?.[1]
}

function decoded(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|apos|#10);/g, (entity, code: string) => CODES[code] ?? entity)
}
