import { openDatabase } from '../../../src/embedded.ts'

/** Waits until nobody has the file of a tree open, in this process or another. */
export async function freed(file: string): Promise<void> {
  for (;;) {
    try {
      const database = openDatabase({ file })
      await database.close()
      return
    } catch {
      await new Promise(setImmediate)
    }
  }
}
