/** The README's table of settings. `bun test/readme/settings-table.ts` writes it anew. */
import { configSchema, settingSchema } from '../../src/server/config/config.ts'

const README = new URL('../../README.md', import.meta.url)
const BLOCK = /(<!-- settings:[^>]*-->\n)[\s\S]*?(<!-- \/settings -->)/

/** The table as the schema has it. */
export function settingsTable(): string {
  const rows = Object.keys(configSchema.properties).map((name) => {
    const { default: fallback, description } = settingSchema(name)
    return `| \`${name}\` | ${fallback === undefined ? '' : `\`${fallback}\``} | ${description} |`
  })
  return `\n| name | default | meaning |\n|---|---|---|\n${rows.join('\n')}\n\n`
}

/** The table as the README has it. */
export async function readmeTable(): Promise<string | undefined> {
  const match = BLOCK.exec(await Bun.file(README).text())
  return match?.[0].slice(match[1]?.length, -(match[2]?.length ?? 0))
}

if (import.meta.main) {
  const text = await Bun.file(README).text()
  // A default may hold what would be a pattern in a text to replace with.
  await Bun.write(
    README,
    text.replace(BLOCK, (_, begin: string, end: string) => begin + settingsTable() + end),
  )
}
