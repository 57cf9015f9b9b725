/** nginx with the module nchan, where both are installed. Messages are posted to it. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, startForeign } from '../targets/foreign.ts'
import type { Certificate, Running } from '../targets/target.ts'
import type { StreamPeer } from './peer.ts'

/** Where packages of Debian put them. */
const NGINX = '/usr/sbin/nginx'
const MODULE = '/usr/lib/nginx/modules/ngx_nchan_module.so'

/** Messages stay in its memory. */
export const nchan: StreamPeer = {
  name: 'nchan',
  setting: 'one process of nginx, HTTPS, messages posted over plain HTTP',
  acknowledges: 'from memory, nothing is written',
  version: () => /nginx\/(\S+)/.exec(Bun.spawnSync([NGINX, '-v']).stderr.toString())?.[1] ?? 'unknown',
  missing() {
    const absent = [NGINX, MODULE].find((file) => !existsSync(file))
    return absent && `there is no ${absent}`
  },
  streams: (certificate, scratchDir) => ({ name: 'nchan', start: () => start(certificate, scratchDir) }),
}

async function start({ cert, key }: Certificate, directory: string): Promise<Running> {
  const [port, control] = [freePort(), freePort()]
  writeFileSync(join(directory, 'cert.pem'), cert)
  writeFileSync(join(directory, 'key.pem'), key)
  const file = join(directory, 'nginx.conf')
  writeFileSync(file, configuration(directory, port, control))
  const command = [NGINX, '-p', directory, '-e', join(directory, 'errors'), '-c', file]
  return startForeign({ command, url: `https://127.0.0.1:${port}`, port: control })
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
