/**
 * Lets the playground be used on a phone: the answer stands below the query, and of the buttons above them the address alone is left.
 * The names are those of the pinned package.
 */
export const narrowStyle = `@media (max-width: 700px) {
  html, body { overflow: hidden; }
  .playground, .graphiql-wrapper, .sc-EHOje, .sc-ifAKCX, .sc-cvbbAY { width: 100%; min-width: 0; }
  .sc-cvbbAY { box-sizing: border-box; padding-right: 10px; }
  .sc-cvbbAY > button { display: none; }
  .sc-cvbbAY > .sc-brqgnP { flex: 1; min-width: 0; margin: 0; }
  .sc-brqgnP input { width: 100%; min-width: 0; box-sizing: border-box; }
  .sc-ibxdXY { flex-direction: column; width: 100%; }
  .sc-ibxdXY > div { flex: 1 1 50% !important; width: 100%; min-width: 0; min-height: 0; }
  .sc-RefOD > .sc-bdVaJa { top: -24px; right: 40px; left: auto; margin: 0; transform: scale(0.7); }
  .sc-iQKALj { display: none; }
  .sc-iuJeZd { left: 0; right: 28px; width: auto; text-align: center; }
  .sc-kgAjT { max-width: calc(100vw - 28px); }
}`;
