import { dlopen, ptr } from 'bun:ffi'
import { closeSync, openSync } from 'node:fs'

/** Constants of Linux, the same on every processor that Bun supports. */
const SOL_SOCKET = 1
const SO_REUSEPORT = 15
const SO_ACCEPTCONN = 30
const SO_ATTACH_REUSEPORT_CBPF = 51
/** Instruction that returns a constant: the whole filter. */
const BPF_RETURN = 0x06
const BPF_INSTRUCTION_BYTES = 8
const LONGEST_ADDRESS_BYTES = 128
/** Offset of the port in an address, big endian. */
const PORT_AT = 2
/** Maximum descriptors that may have been closed between opening and finding a socket. */
const SPARE_DESCRIPTORS = 64
/** The C libraries of GNU and musl. */
const LIBRARIES = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`]

type Calls = ReturnType<typeof callsOf>

let calls: Calls | undefined

/** @throws Error unless this is Linux */
function system(): Calls {
  calls ??= callsOf()
  return calls
}

function callsOf() {
  if (process.platform !== 'linux') throw new Error('two listeners can share a port on Linux alone')
  for (const library of LIBRARIES) {
    try {
      const { symbols } = dlopen(library, {
        setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
        getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
        getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
      })
      return symbols
    } catch {
      // Try the next library.
    }
  }
  throw new Error(`found none of ${LIBRARIES.join(', ')}`)
}

/**
 * A listening socket of this process. The runtime does not expose its descriptor, so it is found by its port right after
 * opening: a new descriptor is the lowest free number, so it is close below the next one.
 */
export class ListeningSocket {
  readonly #descriptor: number

  private constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  /**
   * Finds the latest socket that listens on a port.
   * @param except known socket to skip
   * @throws Error when there is none, or the system does not support the search
   */
  static on(port: number, except?: ListeningSocket): ListeningSocket {
    const { getsockopt } = system()
    const next = openSync('/dev/null', 'r')
    closeSync(next)
    const value = new Int32Array(1)
    const known = except === undefined ? undefined : except.#descriptor
    for (let descriptor = next + SPARE_DESCRIPTORS; descriptor >= 0; descriptor--) {
      if (descriptor === known) continue
      const length = new Uint32Array([value.byteLength])
      if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, ptr(value), ptr(length)) !== 0) continue
      if (value[0] === 1 && portOf(descriptor) === port) return new ListeningSocket(descriptor)
    }
    throw new Error(`found no socket that listens on port ${port}`)
  }

  /** Allows other sockets of the same user to listen on the same port. */
  sharePort(): void {
    const yes = new Int32Array([1])
    const { setsockopt } = system()
    if (setsockopt(this.#descriptor, SOL_SOCKET, SO_REUSEPORT, ptr(yes), yes.byteLength) !== 0) {
      throw new Error('the system does not support a second listener')
    }
  }

  /**
   * Sends every new connection of a shared port to one socket.
   * @param index index of that socket in the order of opening, from 0
   * @throws Error when the system does not support this: it distributes the connections then
   */
  sendAllTo(index: number): void {
    const instruction = new DataView(new ArrayBuffer(BPF_INSTRUCTION_BYTES))
    instruction.setUint16(0, BPF_RETURN, true)
    instruction.setUint32(4, index, true)
    // struct sock_fprog: number of instructions and their address.
    const filter = new BigUint64Array([1n, BigInt(ptr(instruction.buffer))])
    const { setsockopt } = system()
    const failed = setsockopt(this.#descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(filter), filter.byteLength)
    if (failed !== 0) throw new Error('the system does not support choosing a listener')
  }
}

function portOf(descriptor: number): number | undefined {
  const address = new Uint8Array(LONGEST_ADDRESS_BYTES)
  const length = new Uint32Array([address.byteLength])
  if (system().getsockname(descriptor, ptr(address), ptr(length)) !== 0) return undefined
  return new DataView(address.buffer).getUint16(PORT_AT, false)
}
