import { writeProject, type ProjectFiles } from './write-project.js';
import { serveModels, type Serving, type ServingInput } from './serve.js';

export interface ServedProject extends Serving {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests call it as code of a project does
  readonly strapi: any;
}

const index = 'module.exports = { register({ strapi }) { globalThis.projectStrapi = strapi; } };';

/** Serves a project of these files; unless they have a src/index, its `strapi` is given. */
export async function serveProject(files: ProjectFiles, input: Omit<ServingInput, 'project'>): Promise<ServedProject> {
  const project = await writeProject({ 'src/index.js': index, ...files });
  const serving = await serveModels({ ...input, project });
  return { ...serving, strapi: Reflect.get(globalThis, 'projectStrapi') };
}
