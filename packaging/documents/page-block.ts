/** A block of a page between two comments: `<!-- name: how it is made -->` and `<!-- /name -->`. */

const ROOT = new URL('../../', import.meta.url)

/** The block as the page has it. @param page from the root of the repository @throws when it has none */
export async function readBlock(page: string, name: string): Promise<string> {
  const [whole, begin = '', end = ''] = pattern(name).exec(await Bun.file(new URL(page, ROOT)).text()) ?? []
  if (whole === undefined) throw new Error(`${page} has no comments that mark its block "${name}"`)
  return whole.slice(begin.length, -end.length)
}

export async function writeBlock(page: string, name: string, block: string): Promise<void> {
  const file = new URL(page, ROOT)
  const text = await Bun.file(file).text()
  // A function, because text in the block may look like a pattern of `replace`.
  await Bun.write(
    file,
    text.replace(pattern(name), (_, begin: string, end: string) => begin + block + end),
  )
}

/** A table in Markdown. */
export function tableOf(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, headings.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function pattern(name: string): RegExp {
  return new RegExp(`(<!-- ${name}:[^>]*-->\n)[\\s\\S]*?(<!-- /${name} -->)`)
}
