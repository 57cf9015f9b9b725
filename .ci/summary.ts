/** Prints `N passed, N failed, N skipped` from the JUnit reports of the test runner. */
const files = process.argv.slice(2)
if (files.length === 0) throw new Error('usage: summary.ts junit.xml...')

const total = { passed: 0, failed: 0, skipped: 0 }
for (const file of files) {
  const root = /<testsuites\b[^>]*>/.exec(await Bun.file(file).text())?.[0]
  if (root === undefined) throw new Error(`no <testsuites> in ${file}`)
  const count = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(root)?.[1] ?? 0)
  const failed = count('failures') + count('errors')
  const skipped = count('skipped')
  total.failed += failed
  total.skipped += skipped
  total.passed += count('tests') - failed - skipped
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
