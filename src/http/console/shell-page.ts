import type { Assets } from './assets.ts'

const NONCE_BYTES = 16

/** An own page for each request, because scripts and styles carry a nonce. */
export interface ShellPage {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The page of every address of the console; its script draws the rest. Addresses in it are relative, so that it also
 * works behind a proxy that puts something before the path.
 * @param rawPath path of the request below the mount point, beginning with `/console`
 */
export function shellPage(rawPath: string, { script, style }: Assets): ShellPage {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES)).toBase64()
  const root = rootFrom(rawPath)
  const asset = (name: string) => `${root}console/assets/${name}`
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" nonce="${nonce}">
<meta name="dhole-root" content="${root}">
<title>Dhole console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${asset(style)}" nonce="${nonce}">
<script type="module" src="${asset(script)}" nonce="${nonce}"></script>
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript.</noscript>
</body>
</html>
`
  return { html, headers: { ...FIXED, 'Content-Security-Policy': policy(nonce) } }
}

/** Relative address of the mount point. */
function rootFrom(rawPath: string): string {
  const slashes = rawPath.split('/').length - 1
  return slashes <= 1 ? './' : '../'.repeat(slashes - 1)
}

const FIXED = {
  'Content-Type': 'text/html; charset=utf-8',
  // A nonce is for one reply.
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/**
 * Scripts of this origin are not enough: a read with `callback` is one whose text others choose. `strict-dynamic` lets
 * a script with the nonce import its parts.
 */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
