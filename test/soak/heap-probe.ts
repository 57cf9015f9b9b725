/**
 * Loaded before the server, it tells of its heap: at every SIGUSR2 a line of JSON in the file that `HEAP_PROBE` names.
 * What it asks for starts no collection.
 */
import { writeFileSync } from 'node:fs'

const file = process.env['HEAP_PROBE']
if (file !== undefined) {
  process.on('SIGUSR2', () => {
    const { heapUsed, external, arrayBuffers } = process.memoryUsage()
    writeFileSync(file, JSON.stringify({ heapUsed, external, arrayBuffers }))
  })
}
