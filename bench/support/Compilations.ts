/**
 * How many functions were made of text: what compilers of schemas do, whichever it is. Import it before what is to be
 * watched.
 */
let made = 0

const Native = globalThis.Function

globalThis.Function = new Proxy(Native, {
  apply: (target, self, args) => {
    made += 1
    return Reflect.apply(target, self, args)
  },
  construct: (target, args, self) => {
    made += 1
    return Reflect.construct(target, args, self === globalThis.Function ? target : self)
  }
})

export const count = (): number => made
