import { shippedFile } from '../../files/shipped-file.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { AdminService } from '../admin/admin-service.ts'
import type { Answer, Endpoint, Exchange } from '../exchange.ts'
import { prefersPage } from '../request/headers.ts'
import { LARGE_LENGTH, largeAnswer } from '../response/large-body.ts'
import { nodeTextReply } from '../response/node-reply.ts'
import { redirectReply, replyOf } from '../response/reply.ts'
import type { specificationText } from './specification.ts'
import { swaggerUiFile, swaggerUiVersion } from './swagger-ui.ts'

/** The mount point, with and without its slash: a page of links for browsers. */
const ROOTS = ['', '/']
const PAGE = '/swagger'
/** The only chapter that is expanded at first. */
const TREE_TAG = 'Tree'
const SPECIFICATION = '/swagger/json'
const START = '/swagger/start.js'
const LIVE = '/docs/live'
const CONSOLE = '/console'
/** The console's tree page, relative to the live page: a proxy may have put something before the path. */
const TREE_PAGE = '../console/tree'
const ICON = `${PAGE}/favicon-32x32.png`

/** The live page. It names its files relative to itself, because it does not know the prefix. */
const LIVE_FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  [LIVE]: ['page.html', 'text/html; charset=utf-8'],
  [`${LIVE}.js`]: ['script.js', 'text/javascript; charset=utf-8'],
  [`${LIVE}.css`]: ['style.css', 'text/css; charset=utf-8'],
}

/** Files of Swagger UI. Their URLs change with the version, so caches never revalidate them. */
const ASSETS: Readonly<Record<string, readonly [file: string, type: string]>> = {
  [`${PAGE}/swagger-ui-bundle.js`]: ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  [`${PAGE}/swagger-ui.css`]: ['swagger-ui.css', 'text/css; charset=utf-8'],
  [ICON]: ['favicon-32x32.png', 'image/png'],
}

/** Paths of the documents below the mount point. */
export const DOCUMENT_PATHS: readonly string[] = [
  ...[...ROOTS, PAGE, SPECIFICATION, START],
  ...[...Object.keys(ASSETS), ...Object.keys(LIVE_FILES)],
]

const COMMON = { 'X-Content-Type-Options': 'nosniff' }
const FRESH = { ...COMMON, 'Cache-Control': 'no-cache' }
const FOREVER = { ...COMMON, 'Cache-Control': 'public, max-age=31536000, immutable' }

/** Makes the browser keep a page from requests to other hosts. */
function policy(styles: string, images: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    `img-src ${images}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Answers a GET or HEAD of a document; everything else below these paths is answered by the tree. */
export function documentOr(tree: Answer): Answer {
  return (exchange) => {
    const { method, request, service, target } = exchange
    const document = method === 'GET' || method === 'HEAD' ? service.documents?.get(target.rawPath) : undefined
    const isWanted = !ROOTS.includes(target.rawPath) || prefersPage(request.headers.get('accept'))
    return document !== undefined && isWanted ? document(exchange) : tree(exchange)
  }
}

/**
 * The documents by path: a page of links at the mount point, for browsers only; a page at `/swagger`, its files below,
 * and the OpenAPI document at `/swagger/json`; and a page at `/docs/live` that listens to a node, unless
 * the console is there. The pages are our own
 * because those of the plugin load scripts from a foreign host.
 * @param endpoints listed by the OpenAPI document
 * @param operations of the admin API, if that is there
 */
export function documentsOf(
  prefix: string,
  hasMetrics: boolean,
  endpoints: readonly Endpoint[],
  operations?: AdminService['operations'],
): ReadonlyMap<string, Answer> {
  const specification = specificationOnce(prefix, hasMetrics, endpoints, operations)
  const links = textAnswer(linksHtml(prefix, operations !== undefined), linksHeaders)
  const assets = Object.entries(ASSETS).map(([path, [name, type]]) => {
    return [path, fileAnswer(swaggerUiFile(name), { ...FOREVER, 'Content-Type': type })] as const
  })
  const live = Object.entries(LIVE_FILES).map(([path, [name, type]]) => {
    const headers = { ...FRESH, ...liveSafety, 'Content-Type': type }
    const file = fileAnswer(shippedFile(`src/http/docs/live/${name}`), headers)
    return [path, path === LIVE ? consoleOrElse(file) : file] as const
  })
  return new Map<string, Answer>([
    ...ROOTS.map((path) => [path, links] as const),
    [PAGE, textAnswer(pageHtml(prefix), pageHeaders)],
    [SPECIFICATION, (exchange) => specification().then((text) => nodeTextReply(exchange, text, {}, specification))],
    [START, textAnswer(startScript(prefix), scriptHeaders)],
    ...assets,
    ...live,
  ])
}

/** Where the console is served, its tree page shows what the live page does, and more. */
function consoleOrElse(page: Answer): Answer {
  return (exchange) => (exchange.service.admin === undefined ? page(exchange) : redirectReply(TREE_PAGE))
}

function textAnswer(text: string, headers: Readonly<Record<string, string>>): Answer {
  return (exchange: Exchange) => replyOf(exchange, text, { headers })
}

function fileAnswer(url: URL, headers: Readonly<Record<string, string>>): Answer {
  const file = Bun.file(url)
  const isText = headers['Content-Type']?.startsWith('text/') === true
  let text: Promise<string> | undefined
  return (exchange: Exchange): Awaitable<Response> => {
    if (isText && exchange.method !== 'HEAD') {
      // The listener would hold a copy of the file for each client that does not read.
      text ??= file.text()
      return text.then((text) => {
        const isLarge = text.length > LARGE_LENGTH
        return replyOf(exchange, isLarge ? largeAnswer(text, file, exchange, undefined) : text, { headers })
      })
    }
    exchange.replyBytes = file.size
    return new Response(file, { headers })
  }
}

const pageHeaders = {
  ...FRESH,
  'Content-Type': 'text/html; charset=utf-8',
  // Swagger UI sets styles and draws inline images.
  'Content-Security-Policy': policy("'self' 'unsafe-inline'", "'self' data:"),
  'Referrer-Policy': 'no-referrer',
}
const liveSafety = { 'Content-Security-Policy': policy("'self'", "'self'"), 'Referrer-Policy': 'no-referrer' }
const linksHeaders = { ...FRESH, ...liveSafety, 'Content-Type': 'text/html; charset=utf-8', Vary: 'Accept' }
const scriptHeaders = { ...FRESH, 'Content-Type': 'text/javascript; charset=utf-8' }

/** The OpenAPI document, made on first use: loading its sources slows the start. */
function specificationOnce(...parts: Parameters<typeof specificationText>): () => Promise<string> {
  let text: Promise<string> | undefined
  return () => {
    text ??= import('./specification.ts').then((loaded) => loaded.specificationText(...parts))
    return text
  }
}

/** Path below the mount point as an attribute of a page. */
function attribute(prefix: string, path: string): string {
  return Bun.escapeHTML(encodeURI(prefix + path))
}

/** @param icon URL of the icon, as an attribute; `style` likewise */
function pageOf(icon: string, style: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dhole</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${style}">
</head>
<body>
${body}
</body>
</html>
`
}

/** The page of links at the mount point. */
/** @param hasConsole whether the console is served, which shows more than the live page */
function linksHtml(prefix: string, hasConsole: boolean): string {
  const item = (path: string, name: string, meaning: string) =>
    `<li><a href="${attribute(prefix, path)}">${name}</a>: ${meaning}</li>`
  const body = `<h1>Dhole</h1>
<p>A realtime JSON tree. Every node is an endpoint: its path, then <code>.json</code>.</p>
<ul>
${hasConsole ? item(CONSOLE, 'Console', 'see and change the tree, write rules, make and restore backups') : item(LIVE, 'Live page', 'any node as it changes')}
${item(PAGE, 'Documents', 'every endpoint, parameter and error, to try out')}
${item(SPECIFICATION, 'OpenAPI document', 'the same for programs')}
${item('/.json?shallow=true&print=pretty', 'Keys of the root', 'what is in the tree')}
${item('/health', 'Health', 'whether the server runs')}
${item('/ready', 'Readiness', 'whether it can read and write')}
</ul>`
  return pageOf(attribute(prefix, ICON), attribute(prefix, `${LIVE}.css`), body)
}

function pageHtml(prefix: string): string {
  const version = swaggerUiVersion()
  const asset = (path: string) => attribute(prefix, `${path}?v=${version}`)
  const body = `<p>&nbsp;<a href="${attribute(prefix, LIVE)}">Any node as it changes</a></p>
<div id="swagger-ui"></div>
<script src="${asset(`${PAGE}/swagger-ui-bundle.js`)}"></script>
<script src="${attribute(prefix, START)}"></script>`
  return pageOf(asset(ICON), asset(`${PAGE}/swagger-ui.css`), body)
}

/**
 * Swagger UI shows each request as sent. This masks credentials in the copy that is shown, not in the request.
 */
const DISCREET = `const cover = (url) => url.replace(/([?&](?:auth|access_token)=)[^&#]*/g, '$1…')

const covered = (request) => {
  const shown = { ...request, url: cover(request.url), headers: { ...request.headers } }
  for (const name of Object.keys(shown.headers)) {
    if (name.toLowerCase() === 'authorization') shown.headers[name] = 'Bearer …'
  }
  return shown
}

const discreet = {
  statePlugins: {
    spec: {
      wrapActions: {
        setRequest: (original) => (path, method, request) => original(path, method, covered(request)),
        setMutatedRequest: (original) => (path, method, request) => original(path, method, covered(request)),
        setResponse: (original) => (path, method, response) =>
          original(path, method, response.url ? { ...response, url: cover(response.url) } : response),
      },
    },
  },
}
`

/** The page does not list HEAD and OPTIONS, which the document has: they repeat the other methods. */
const BRIEF = `const isListed = (operation) => operation.get('method') !== 'head' && operation.get('method') !== 'options'

const brief = {
  statePlugins: {
    spec: {
      wrapSelectors: {
        taggedOperations:
          (original) =>
          (_, ...args) =>
            original(...args).map((tag) => tag.update('operations', (operations) => operations.filter(isListed))),
      },
    },
  },
}
`

/**
 * Without a validator, which is a foreign host. Slashes in the parameter `path` are sent and shown unescaped, which
 * OpenAPI cannot express.
 */
function startScript(prefix: string): string {
  return `${DISCREET}
${BRIEF}
const ui = SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: ${JSON.stringify(encodeURI(prefix + SPECIFICATION))},
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'none',
  onComplete: () => ui.layoutActions.show(['operations-tag', ${JSON.stringify(TREE_TAG)}], true),
  plugins: [discreet, brief],
  requestInterceptor: (request) => {
    const [path, ...query] = request.url.split('?')
    request.url = [path.replaceAll('%2F', '/'), ...query].join('?')
    return request
  },
})
`
}
