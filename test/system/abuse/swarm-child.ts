/** Hostile clients in a process of their own, until it is killed. */
import { attackNames } from './attacks.ts'
import { Swarm } from './swarm.ts'

if (import.meta.main) {
  const [port = '', clients = '', perSecond = ''] = process.argv.slice(2)
  const swarm = new Swarm({
    port: Number(port),
    clients: Number(clients),
    kinds: attackNames,
  })
  await swarm.come({ perSecond: Number(perSecond) })
  process.stdout.write('all there\n')
  setInterval(() => process.stderr.write(`open ${swarm.open} begun ${swarm.begun}\n`), 5000)
}
