import type { Answer } from '#http/route.js';
import { bodyOf } from '#http/route-request.js';
import { mediaOf } from '#http/running.js';
import { imageChoicesKey, libraryViewKey, readLibrarySettings } from '#media/image-choices.js';
import { storeSetting } from '#store/stores/code-store.js';
import { boolean, checkPanelBody, number, object, string } from '../check-body.js';
import { answerData, type PanelCall, type PanelRoutes } from '../panel-route.js';

/** The routes of the settings of the media library. */
export const librarySettingsRoutes: PanelRoutes = {
  'GET /upload/settings': { right: 'plugin::upload.settings.read', handle: reading(imageChoicesKey) },
  'PUT /upload/settings': { right: 'plugin::upload.settings.read', handle: changeSettings },
  'GET /upload/configuration': { right: 'logged in', handle: reading(libraryViewKey) },
  'PUT /upload/configuration': { right: 'plugin::upload.configure-view', handle: changeView },
};

const settingsBody = object({
  sizeOptimization: boolean().required(),
  responsiveDimensions: boolean().required(),
  autoOrientation: boolean(),
}).noUnknown();

function reading(key: string) {
  return async ({ content, running }: PanelCall): Promise<Answer> => {
    const { settings } = mediaOf(running);
    return answerData(await readLibrarySettings(key, { database: content.store.database, settings }));
  };
}

async function changeSettings({ content, request }: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(settingsBody, bodyOf(request));
  await storeSetting(imageChoicesKey, body, content.store);
  if (body.autoOrientation === false)
    content.notices.logOnce(
      'media library: images are always turned as their cameras say; autoOrientation cannot be switched off',
    );
  return answerData(body);
}

/** What code may store about new images: some of the choices. */
export const imageChoicesBody = object({
  sizeOptimization: boolean(),
  responsiveDimensions: boolean(),
  autoOrientation: boolean(),
}).noUnknown();

export const libraryViewBody = object({
  pageSize: number().integer().min(1).max(100).required(),
  sort: string().oneOf(['createdAt:DESC', 'createdAt:ASC', 'name:ASC', 'name:DESC', 'updatedAt:DESC', 'updatedAt:ASC']),
}).noUnknown();

async function changeView({ content, request }: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(libraryViewBody, bodyOf(request));
  await storeSetting(libraryViewKey, body, content.store);
  return answerData(body);
}
