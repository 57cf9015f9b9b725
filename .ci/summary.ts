/** Prints `N passed, N failed, N skipped` from the JUnit report of the test runner. */
const file = process.argv[2]
if (file === undefined) throw new Error('usage: summary.ts junit.xml')

const report = await Bun.file(file).text()
const root = /<testsuites\b[^>]*>/.exec(report)?.[0]
if (root === undefined) throw new Error('no <testsuites> in the report')

const count = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(root)?.[1] ?? 0)
const failed = count('failures') + count('errors')
const skipped = count('skipped')
const passed = count('tests') - failed - skipped
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`)
