// Stylesheets are imported for their effect; Vite turns them into files.
declare module "*.css";
