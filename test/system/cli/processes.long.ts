import '../../support/long-lane.ts'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { everyCommand } from '../../../src/cli/command-line.ts'
import { dholeProgram } from '../../../src/cli/program.ts'
import { spawnDhole } from '../../support/dhole-command.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

/** One of each command, in this order, on the folder of a running server. `DIR` stands for a folder of files. */
const commands: readonly string[] = [
  'help apps add',
  'completion bash',
  'apps add shop',
  'apps list',
  'apps set shop --open',
  'apps show shop',
  'apps rotate shop --yes',
  'token --uid ann --app app --data-dir DIR/data',
  'rules check DIR/rules.json',
  'rules test DIR/rules.json DIR/cases.json',
  'rules explain DIR/rules.json --path /a',
  'sms import DIR/messages.csv',
  'sms export DIR/exported.csv',
  'sms counts',
  'sms sign a=1',
  'sms token gateway-1',
  'import DIR/tree.json --path /in',
  'export DIR/exported.json --path /in',
  'backup DIR/backup',
  'restore DIR/backup --yes',
  'reload',
  'console secret',
  'console rotate',
  'doctor',
  'apps remove shop --yes',
]

const files: Readonly<Record<string, string>> = {
  'rules.json': '{"rules":{".read":true}}',
  'cases.json': '[{"path":"/a","operation":"read","auth":null,"expect":"allow"}]',
  'messages.csv': 'rrid,mobile\nr,13800138000\n',
  'tree.json': '{"a":1}',
}

let dir: TempDir
let server: ServerProcess

beforeAll(async () => {
  dir = await tempDir()
  for (const [name, text] of Object.entries(files)) await Bun.write(dir.file(name), text)
  server = await spawnServer({ DATA_DIR: dir.file('data') })
})

afterAll(async () => {
  await server.stop()
  await dir[Symbol.asyncDispose]()
})

test('commands run as processes of their own', async () => {
  for (const words of commands) {
    const args = words.split(' ').map((word) => word.replace('DIR', dir.path))
    const { status, stderr } = await spawnDhole(args, { DATA_DIR: dir.file('data') })
    expect({ words, status, stderr }).toEqual({ words, status: 0, stderr: '' })
  }
  expect(await Bun.file(dir.file('exported.json')).text()).toContain('"a":1')
  expect(await Bun.file(dir.file('exported.csv')).text()).toContain('13800138000')
}, 300_000)

test('a command that fails has a status and one line', async () => {
  const { status, stdout, stderr } = await spawnDhole(['apps', 'rotate', 'none', '--yes'], {
    DATA_DIR: dir.file('data'),
  })
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^dhole: there is no application "none" [^\n]+\n$/)
})

test('no command is missing here', () => {
  const all = everyCommand(dholeProgram())
    .filter((command) => command.commands.length === 0)
    .map((command) => (command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name()))
  const run = commands.map((words) => all.find((name) => words === name || words.startsWith(`${name} `)))
  // These need a database: test/system/copy and test/system/postgres run them.
  const elsewhere = ['serve', 'copy', 'migrate']
  expect(new Set(run)).toEqual(new Set(all.filter((name) => !elsewhere.includes(name))))
})
