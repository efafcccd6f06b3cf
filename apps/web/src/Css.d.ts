// Vite takes the styles that a module imports; the import gives nothing.
declare module "*.css" {}
