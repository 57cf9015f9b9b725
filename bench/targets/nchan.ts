/** An outside comparison: nginx with the module nchan, where both are installed. Messages are posted to it. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { CHILD_LIFETIME_MS } from '../harness/child.ts'
import type { Certificate, Running, Target } from './target.ts'

const NGINX = '/usr/sbin/nginx'
const MODULE = '/usr/lib/nginx/modules/ngx_nchan_module.so'
const ATTEMPTS = 50
const ATTEMPT_MS = 100

export function isInstalled(): boolean {
  return existsSync(NGINX) && existsSync(MODULE)
}

/** @param scratchDir an empty directory */
export function nchan(certificate: Certificate, scratchDir: string): Target {
  return { name: 'nchan', start: () => start(certificate, scratchDir) }
}

async function start({ cert, key }: Certificate, directory: string): Promise<Running> {
  const [port, control] = [freePort(), freePort()]
  writeFileSync(join(directory, 'cert.pem'), cert)
  writeFileSync(join(directory, 'key.pem'), key)
  const file = join(directory, 'nginx.conf')
  writeFileSync(file, configuration(directory, port, control))
  const child = Bun.spawn([NGINX, '-p', directory, '-e', join(directory, 'errors'), '-c', file], {
    stdout: 'ignore',
    stderr: 'inherit',
    timeout: CHILD_LIFETIME_MS,
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
  }
  try {
    await untilListening(control)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `https://127.0.0.1:${port}`, pid: child.pid, control, stop }
}

/** One process, as dhole is. */
function configuration(directory: string, port: number, control: number): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
load_module ${MODULE};
daemon off;
master_process off;
pid ${directory}/pid;
events { worker_connections 8192; }
http {
  access_log off;
  ${folders.map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')}
  server {
    listen 127.0.0.1:${port} ssl backlog=4096;
    ssl_certificate ${directory}/cert.pem;
    ssl_certificate_key ${directory}/key.pem;
    location / {
      nchan_subscriber eventsource;
      nchan_subscriber_first_message newest;
      nchan_channel_id busy;
    }
  }
  server {
    listen 127.0.0.1:${control};
    keepalive_requests 1000000;
    location = /publish {
      nchan_publisher;
      nchan_channel_id busy;
    }
  }
}
`
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })
      socket.end()
      return
    } catch {
      await wait(ATTEMPT_MS)
    }
  }
  throw new Error('nginx does not listen')
}
