/** Languages with their regions and scripts. Every language is a locale itself too. */
const table = `af:NA,ZA am:ET ar:001,AE,BH,DZ,EG,IQ,JO,KW,LB,LY,MA,OM,QA,SA,SD,SY,TN,YE as:IN ast:ES az:Cyrl,Cyrl-AZ,Latn,Latn-AZ
be:BY bg:BG bm:ML bn:BD,IN br:FR bs:BA ca:ES ckb: cs:CZ cy:GB da:DK de:AT,BE,CH,DE,LI,LU ee:GH,TG el:CY,GR
en:AE,AT,AU,BB,BE,BI,BM,BW,BZ,CA,CH,CM,CY,DE,DK,FI,FJ,GB,GD,GG,GH,GI,GM,GU,GY,HK,IE,IL,IM,IN,JE,JM,KE,KY,LC,LS,MG,MT,MU,MW,MY,NA,NG,NL,NZ,PG,PH,PK,PR,RW,SB,SC,SE,SG,SI,SL,SS,TO,TT,TV,TZ,UG,US,VI,VU,WS,ZA,ZM,ZW
eo: es:419,AR,BO,CL,CO,CR,CU,DO,EC,ES,GQ,GT,HN,MX,NI,PA,PE,PR,PY,SV,US,UY,VE et:EE eu:ES fa:AF,IR ff:SN fi:FI fil:PH fo:FO
fr:BE,BF,BI,BJ,BL,CA,CD,CF,CG,CH,CI,CM,DJ,DZ,FR,GA,GF,GN,GP,GQ,HT,KM,LU,MA,MC,MF,MG,ML,MQ,MR,MU,NC,NE,PF,RE,RW,SC,SN,SY,TD,TG,TN,VU,YT
ga:IE gd:GB gl:ES gsw:CH gu:IN ha:Latn,Latn-GH,Latn-NE,Latn-NG haw:US he:IL hi:IN hr:BA,HR hu:HU hy:AM id:ID ig:NG is:IS it:CH,IT,SM
ja:JP ka:GE kk:Cyrl,Cyrl-KZ kl:GL km:KH kmr: kn:IN ko:KP,KR kok:IN kw:GB ky:KG lb:LU ln:CD,CG lo:LA lt:LT lu:CD lv:LV
mg:MG mk:MK ml:IN mn:MN mr:IN ms:BN,MY,SG mt:MT my:MM nb:NO nd:ZW ne:IN,NP nl:AW,BE,CW,NL,SR,SX nn:NO om:ET,KE or:IN
pa:Arab,Arab-PK,Guru,Guru-IN pl:PL ps:AF pt:AO,BR,CV,GW,MO,MZ,PT,ST,TL rm:CH rn:BI ro:MD,RO ru:BY,KG,KZ,MD,RU,UA rw:RW
se:FI,NO,SE sg:CF si:LK sk:SK sl:SI sn:ZW so:DJ,ET,KE,SO sq:AL,MK,XK sr:Cyrl,Cyrl-BA,Cyrl-ME,Cyrl-RS,Latn,Latn-BA,Latn-ME,Latn-RS
sv:AX,FI,SE sw:CD,KE,TZ,UG ta:IN,LK,MY,SG te:IN tg:TJ th:TH ti:ER,ET tk:TM to:TO tr:CY,TR tt:RU uk:UA ur:IN,PK
uz:Arab,Arab-AF,Cyrl,Cyrl-UZ,Latn,Latn-UZ vi:VN yi: yo:BJ,NG zh:CN,Hans,Hans-CN,Hans-HK,Hans-MO,Hans-SG,Hant,Hant-HK,Hant-MO,Hant-TW zu:ZA`;

interface IsoLocale {
  readonly code: string;
  /** Such as `German (Austria) (de-AT)`. */
  readonly name: string;
}

/** Returns the locales that the panel offers, by the name of their language. Others can be added by the admin API. */
export function isoLocales(): readonly IsoLocale[] {
  const names = new Intl.DisplayNames(['en'], { type: 'language', languageDisplay: 'standard' });
  const nameOf = (code: string): string => names.of(code) ?? code;
  const languages = table.split(/\s+/).map((row) => {
    const [language = '', regions = ''] = row.split(':');
    const others = regions.split(',').flatMap((region) => (region === '' ? [] : [`${language}-${region}`]));
    return { name: nameOf(language), codes: [language, ...others] };
  });
  return languages
    .sort((a, b) => a.name.localeCompare(b.name))
    .flatMap(({ codes }) => codes.map((code) => ({ code, name: `${nameOf(code)} (${code})` })));
}
