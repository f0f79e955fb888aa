"""Words of everyday talk that never name a topic, although they are in many messages."""

from __future__ import annotations

_ENGLISH = """
able absolutely actually add again ago agree ahead all almost alone already alright also always amazing another answer
any anyone anything anyway appreciate around ask asked aspect assist away awesome awhile back bad based beautiful
become begin best bet better big bit break bring bringing brings brought call called came can cant care catch certain
certainly chance chat check cheer cheers choose clear close come comes coming completely cool couldn couple course
create created crucial curious cute day days deal decided deep definitely details did different difficult doing done
dont doubt each early easier easy either else end ended enjoy enjoyed enjoying enjoys enough especially even ever every
everyone everything exactly example excellent excited exciting experience experiences explain extra fact fair fantastic
far fast favorite feel feeling feelings feels felt few figure final finally find finding fine finished first follow
following forward found free fresh full fun future gave general get gets getting give given gives giving glad go goal
goals goes going gone gonna good got gotta gotten great greatly guess guys had haha half hand happen happened happening
happy hard hear heard hello help helped helpful helping helps hey hi high hold hope hopefully hoping hour hours huge
idea ideas imagine important impressive include including incredible information inspire inspired inspiring instead
interested interesting interests into isnt ive job join journey keep keeping kept kind kinda kindly knew know knowing
known last lately later learn learned learning least leave left less let lets level life lifetime like liked likes
line list listen little live lol long longer look looked looking looks lot lots love loved lovely loves loving low
luck lucky made main major make makes making many matter may maybe mean meaning meaningful means meant meet met might
mind mine minute minutes moment moments month months morning motivated move moving much must name need needed needs
never new next nice night nope nothing number often ok okay old one ones onto open opportunity option options order
others otherwise outside own part particular pass past people perfect perhaps person personal photo photos pic pick
picture pictures piece place places plan planned planning plans plenty plus point positive possible power powerful
pretty probably problem problems process proud provide push put question questions quick quickly quite read ready real
realize realized really reason recent recently recommend relax remember remind reminder reminds response rest right
said same save saw say saying says see seeing seem seems seen sending set several share shared sharing short should
show showed showing shows side similar simple since single situation small solid someone something sometimes soon sorry
sort sound sounds space special specific spend spent spot stand start started starting stay step steps still stop story
strong stuff such suggest suggestions super supportive sure sweet take taken takes taking talk talked talking tell
thank thanks thats thing things think thinking though thought thoughts three throughout tight time times tip tips today
together told tomorrow tonight took top totally touch toward towards tried tries truly try trying turn turned two type
understand unique until upcoming use used useful user using usually valuable various vibe vibes view visit wait waiting
wanna want wanted wanting wants wasnt watch way ways week weekend weeks welcome well went whatever whole wish without
wonder wonderful wondering won wont word words work worked working works world worry worth wouldn wow year years yeah
yep yes yesterday yet youll youre zero ensure provided sample ll don didn doesn isn ain assistant user system image
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
october november december hugs blast bunch stoked thrilled total overall appreciated grateful hanging stress hit
memories memory bond bonding inspiration motivation passion dream dreams chill reply peaceful peace calm joy happiness
strength courage focus confidence vital key ability approach improve boost drop current currently consider hang
background front sign sitting couple mention mentioned knowing scary surprised surprise reach brave heart self growth
progress bye oof btw gotcha hah yup mmm thankful thoughtful tough passionate thrilling elated bliss juggling difference
fave advice cherish achieve achieved achievement accomplishment overcome challenge challenges challenging
obstacles setback setbacks encouragement encourage encouraging rewarding captivating stunning epic awesome insane wild
crazy admit tackle lost pursue pursuing gain gained hmm aww omg ugh woah whoa absolutely definitely glad proud brilliant
respond consideration considerations identify overview summary version options recommendations recommendation tricky
organized organize increase reduce effects effect various additional following approach impact implement
implementation improvements improvement handle ensure practices practice tasks task update updated adjust earlier
routine worries missed wishing celebrate celebrating thrill amaze amazed blessed bless treasure treasured fulfilled
fulfilling expressing express support difference freedom constant reminder outlook pushing staying waking guess dude
man buddy bro congrats congratulations phew woohoo yay yea thankfully gather priority abilities bumps areas explore
explores explored exploring keeps grow grows growing creates motivate motivates motivating motivated striving strive
measures afterwards laying anytime sometime wherever whenever crossed fingers prob laugh smile scared belonged
"""
_OTHER = """
und der die das ist nicht ich wir ihr sie mir mich dir dich ein eine einen auch aber noch schon mal sehr mit von bei
zum zur auf aus für dass wie was wer wann heute morgen gestern danke bitte gut ganz mehr immer hier dann wenn weil
les des une est pas pour que qui dans sur avec sont mais plus très bien merci oui non aussi fait être avoir tout cette
los las una por para con como pero más muy bien gracias también este esta está son del que hoy mañana ayer todo
"""

CHAT_WORDS = frozenset(_ENGLISH.split()) | frozenset(_OTHER.split())
"""Lower case. Read off the titles of LoCoMo's tune half and of assistant chats; other languages: the commonest words,
whose low rarity already keeps most of them out of titles."""
