// Vite takes the styles that a module imports; the import gives nothing.
declare module "*.css" {}

// With `?url` Vite puts a file beside the page, and the import gives its address.
declare module "*?url" {
  const address: string
  export default address
}
