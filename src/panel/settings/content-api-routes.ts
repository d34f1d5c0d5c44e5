import { answerData, type PanelRoute } from '../panel-route.js';
import { actionsByController, routesByApi } from './content-api.js';

/** The routes by which the form of API tokens lists what they can open. */
export const contentApiRoutes: readonly PanelRoute[] = [
  {
    method: 'GET',
    path: '/admin/content-api/permissions',
    right: 'logged in',
    handle: (call) => Promise.resolve(answerData(actionsByController(call))),
  },
  {
    method: 'GET',
    path: '/admin/content-api/routes',
    right: 'logged in',
    handle: (call) => Promise.resolve(answerData(routesByApi(call))),
  },
];
