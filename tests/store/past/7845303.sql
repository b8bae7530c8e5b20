-- migration 0015, by the code of commit 7845303; made by make.py
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0015');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s BIGINT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, width_s INTEGER DEFAULT '5' NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-c814ea86',1700000035,'main',4.0,5);
INSERT INTO "buckets" VALUES('job-c814ea86',1700000040,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-c814ea86',1700000045,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-c814ea86',1700000050,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-c814ea86',1700000055,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-c814ea86',1700000060,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-c814ea86',1700000065,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-c814ea86',1700000070,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-c814ea86',1700000075,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-c814ea86',1700000080,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-c814ea86',1700000085,'main',36.0,5);
INSERT INTO "buckets" VALUES('job-756ca748',1700000035,'main',4.0,5);
INSERT INTO "buckets" VALUES('job-756ca748',1700000040,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-756ca748',1700000045,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-756ca748',1700000050,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-756ca748',1700000055,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-756ca748',1700000060,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-756ca748',1700000065,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-756ca748',1700000070,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-756ca748',1700000075,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-756ca748',1700000080,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-756ca748',1700000085,'main',36.0,5);
CREATE TABLE certificates (
	job_id VARCHAR(32) NOT NULL, 
	pem TEXT NOT NULL, 
	made_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_certificates PRIMARY KEY (job_id), 
	CONSTRAINT fk_certificates_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE code (
	sha256 VARCHAR(64) NOT NULL, 
	content BLOB NOT NULL, 
	stored_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_code PRIMARY KEY (sha256)
);
CREATE TABLE decisions (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	at_s FLOAT NOT NULL, 
	last_at_s FLOAT NOT NULL, 
	ticks INTEGER NOT NULL, 
	policy VARCHAR(64) NOT NULL, 
	action VARCHAR(16) NOT NULL, 
	code VARCHAR(64) NOT NULL, 
	from_group TEXT, 
	to_group TEXT, 
	"plan" TEXT NOT NULL, 
	snapshot BLOB NOT NULL, version INTEGER DEFAULT '1' NOT NULL, weighed_at_s FLOAT, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "decisions" VALUES(1,'job-c814ea86',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB6EDB3810FD173EBB8663A7D934BF521404458D24D614C9F262C709F2EF7B461265BB8B4581027BD193381CCEE5F0CC0CDF85F36799C4CBC31FBBF9DB6F771BF1DD37E2E55D9856BCF0FF27FDFCF048EAF9496C440AA479CFA991B04BAEA51662EDC75139E87F15392AE3B6E122BEB1B885962BD66EA07AC2C18F8D38FB78B45EB57563B8048A414558CC14D3ACE47032C9D138C4B6AED4EBCDEAAC5CA6D5880BD16B0943D24D3E852AD923B0DEFA4659D9A8AC87AA6BE04665E31D27CE496F846FBE93CEE6449C1BFC98D1BCB195ABEA64BBF5D6AA08B32DA9D61A478CDD6CB4296D4F5996B4860433BC9C0E0EBEC42A3F295B48FA4E6633D255A36E7B87B413EC8A4EA54C298B050E990114E45F1958159436F9C289BA0B020ADE1ACDCB0627E4E402D2CEBC522BD7C3D54518549A2CADF738E2CEA05F5C3656AE49CFFA1FF0D7F2A5CA3E2A3DA57CD8314DC619E9088F2A660E22D27CB13916E27D8492D4182C2DB70A056DD26A79C66839BF22E94B0EE5BABCBBBA483F8A893492CB0B12897209F36FABB2AA8A8974A459E7634998432DCE19D7338F4B339A0C024995EF0A60CAEC041E4E51EE6FD8225E1E992A13BF614456A30B761DA469580D56D2B7ECAF664B29A99EAEC9B4DE6105A3470AF967DC3715D9C426DF287AF1D2299B806CCA3EA002067252A5E3B50AEEB0A218FD423A400043E067DDD3254660B8560F57D40CE21DD3567E58AF95DDFE28888698FF3A14C4BDDD7FE6A4461F2FB237E81953F7E84391DA17B6BEAC9828F64ABE4B32B0069D482B502B33D8ADE8C261CFFDC38C3770A9F664928FB229FA5833F9D8FC14E2A06C778DEF7F175E07610DEF61AAA1FF34BC6F7CD4E8E5AEB9DFA3BDFAAEA338B1F65DDCB48EBF72E0DA83BCFBD4D2340036E26DE2F4ACCDADEBA6C1A1B69831E84EA6955DF4E354794F5FF03D3DCE95E79B44F1F4376599D045351B9FDA2218FE8A624CF2DE0363CE99EC7F9549A5CAEFA4F1F8AFA571F8551A9552BF93C6977F3C8BA9434753BB4B3A1B74A8758A0DCAF5EB5640439AE7270EEE40448B29CC2D9C2772ECF929B0DB3EF0A3C2DBD69F1D87F434C792A341499C8D831CD2E72AE160D2A0222DCD60762F832A8924988F7A80FA6736D1789FAFA2038BD89EAC9EE69137550B3F44244A8BC5CF15AB14E6F3F7DB8725403C64CC5846D9186B81679A72AC51E22940983897B5BD47529AE7C0758E5454D127302F35E1A5D2561B461F972CF87E9D3A2963556369198ABE34D33BE966B1A28C1E91A4C6D8B4BE9747BC055D9DDD006AC0D067011F6474967B0A80BFFE629EB2691EED913A80BAF82115AD4193E0E9FB2793EC81D6',1,1700000002.0);
INSERT INTO "decisions" VALUES(2,'job-756ca748',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB8EDB380CFD173FA74126995BE7578A429065DA56234BAA2EC96406F3EF7B685B76D2C5A240816DEB278BA278393A24F55E597716B17AB97BDA4DDF7EBBDB54DF5C5DBDBC57BAA95EF8FFD3D3C3A3924FF7CFD5A68A9E14EF593910765390DA6ADB6147B961901647BE4CD2ADBF545F59DC40D166633615D913CE7E6CAAB30B47E3645336FA8BA7E06580D144214E4A1627A318B44578CB4ABE5EADCED2265A8C581F9C123024ECE8B392393904D619574B236A99545F7435DCC8A49DE5DC39EF4DE5EA6FA4923E11A7073F7AD06F6C65551D6D37CE181960B621D9186D89E19B8CD6B9E928891C9790608697E3C1DEE550E427693209D78AA4075A35CAB6B3483BC26ED5CA9828A66A8643240005F91706567AA974BA70A2F68280BC335AF1B2C60931BA80B4D5AFD488E57071E17B19474BCB550EB833E8679BB4114BD293FE07FC357CA9A20B528D291F76CC9461423AC0A30C898308345D6C0A99781FA144397843F3AD4241E9B8589E309ACF2F48BA9C7C5E97375717E87BD68106B269462252CA7EFA6D64924531920A34E97CCC0973A8D9CE848DB91E740281844C3735306676020FC728F7576CA95EEE992A85F5A2189DB16B218DFD62B090BE617F255B8A5176B426D3388B158C1EC9A71F71DF1464239B7CA3E0AA97569A086463721E15D09315321ED72AB8C18A427033E900010C819F654FE51080E1523D5C511388374C5BF8619C9266FB3D231A62FE2B9F11F776FFC0490D2E5C44A7D136C606D2F92C94CB6C7D5E3151CC4ABE4BD4B0069D400B500B33D86DD5FAC39EFB871EAEE092CD494717449DD5B164F2B1F921C45E9A768DEFAF0BAF85B0847737D6D01F0DEF2B1FD56ABE6B6EF968AFAE6D298CAC7DAFAE5AC7BF39B0F620673F35340E804DF536727AD2E6D675D5E0505BCC187427DD8836B861ACBCC7CFF81EEFA7CA7375A470FA8FB28CE8A26A9C3CDC16C1F057146314B71E1873CE64FFB34C0A557E258DFBDF96C6E16769144AFD4A1A9FFFF72CC60E1D74E92EF1ACD1A19629D64BDB2D5B1E0D699A9F38B803110DA630B7709EC8A1E3A7C06E7BC78F0A671A77B61CD2E3144B0A1A2571D61672489F8B848389BD0C343783C9BDF0324712603EEA01EA0F6CA2762EADA2038BD89E289EA69137560B3F44044A8BC5CF05ABE8A7F3B7DB8739403C64F49007516B6380671C732C51E22940983897A5BD07928AE7C03A470AAAE81398978AF052698A0DAD8E73167CBF569EA436B236340F4597EBF19D74B55850468F8842616C1AD789239E83B6CC6E00D563E8B3800F323AF33D79C05F7E314FD9348FF6402D409DFD900C46A349F0F4FD07DC488307',1,1700000002.0);
CREATE TABLE events (
	id INTEGER NOT NULL, 
	at_s FLOAT NOT NULL, 
	job_id VARCHAR(32), 
	node_id VARCHAR(32), 
	kind VARCHAR(32) NOT NULL, 
	text TEXT NOT NULL, 
	numbers TEXT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,1700000300.0,NULL,NULL,'price','local.half on-demand local: $0.36/h is now $0.72/h','{"before_usd_per_h": 0.36, "usd_per_h": 0.72}');
INSERT INTO "events" VALUES(2,1700000000.0,'job-c814ea86',NULL,'job_submitted','job ended submitted, mode restart','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-c814ea86',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-c814ea86',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-c814ea86','node-cf7cea47','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-c814ea86','node-cf7cea47','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-c814ea86','node-e3d96305','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-c814ea86','node-e3d96305','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-c814ea86',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-c814ea86',NULL,'decision','start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-c814ea86',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-c814ea86','node-cf7cea47','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-c814ea86','node-cf7cea47','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-c814ea86','node-e3d96305','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-c814ea86','node-e3d96305','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-c814ea86',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-c814ea86',NULL,'job_phase','job ended was cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-756ca748',NULL,'job_submitted','job training submitted, mode restart','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-756ca748',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-756ca748',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-756ca748','node-eada19c6','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-756ca748','node-eada19c6','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-756ca748','node-29932ba1','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-756ca748','node-29932ba1','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-756ca748',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-756ca748',NULL,'decision','start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-756ca748',NULL,'note','a note of training','{}');
CREATE TABLE generations (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	node_ids TEXT NOT NULL, 
	members TEXT NOT NULL, 
	rdzv_endpoint VARCHAR(128) NOT NULL, 
	started_at_s FLOAT NOT NULL, 
	drain_at_s FLOAT, 
	ended_at_s FLOAT, 
	first_step_at_s FLOAT, 
	last_step_at_s FLOAT, 
	hangs BOOLEAN NOT NULL, world_size INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_generations PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_generations_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "generations" VALUES('job-c814ea86',1,'["node-cf7cea47", "node-e3d96305"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5,0,2);
INSERT INTO "generations" VALUES('job-756ca748',1,'["node-eada19c6", "node-29932ba1"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5,0,2);
CREATE TABLE identity (
	id INTEGER NOT NULL, 
	holder VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_identity PRIMARY KEY (id)
);
CREATE TABLE intents (
	id INTEGER NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	request_hash VARCHAR(64) NOT NULL, 
	asked_by VARCHAR(32) NOT NULL, 
	created_at_s FLOAT NOT NULL, 
	done_at_s FLOAT, 
	outcome TEXT, 
	CONSTRAINT pk_intents PRIMARY KEY (id), 
	CONSTRAINT uq_intents_token_kind_node_id UNIQUE (token, kind, node_id)
);
INSERT INTO "intents" VALUES(1,'a96ccdbf132a2d26a041e12c262daa09','launch','node-cf7cea47','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'f575a448c5e8ba03893deb491e85e2cd','launch','node-e3d96305','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'a96ccdbf132a2d26a041e12c262daa09','terminate','node-cf7cea47','a96ccdbf132a2d26a041e12c262daa09','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'f575a448c5e8ba03893deb491e85e2cd','terminate','node-e3d96305','f575a448c5e8ba03893deb491e85e2cd','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'c01598152edc708b29083b8f449d05ed','launch','node-eada19c6','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'afaccd73d7b450ef3df9c9f314a1c8b9','launch','node-29932ba1','h','',1700000001.0,1700000005.0,'launched');
CREATE TABLE "jobs" (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	spec TEXT NOT NULL, 
	phase VARCHAR(24) NOT NULL, 
	submitted_at_s FLOAT NOT NULL, 
	version INTEGER NOT NULL, 
	iteration BIGINT NOT NULL, 
	progress_generation INTEGER NOT NULL, 
	newest_round BIGINT NOT NULL, 
	registered_round BIGINT NOT NULL, 
	training_phase VARCHAR(64), 
	finished_at_s FLOAT, 
	ending VARCHAR(24), 
	message TEXT, 
	target TEXT, 
	code VARCHAR(64), 
	failures INTEGER NOT NULL, 
	failed_iteration BIGINT NOT NULL, 
	longest_pause_s FLOAT, 
	idempotency_key VARCHAR(255), 
	request_hash VARCHAR(64) NOT NULL, 
	redone BIGINT DEFAULT '0' NOT NULL, 
	kept_iteration BIGINT, 
	restarts_at_zero BOOLEAN DEFAULT 0 NOT NULL, 
	stops_when_asked BOOLEAN, 
	batch VARCHAR(8), 
	saves TEXT, 
	error TEXT, 
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_id UNIQUE (id), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key)
);
INSERT INTO "jobs" VALUES(1,'job-c814ea86','ended','{"name":"ended","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','cancelled',1700000000.0,4,400,1,0,0,'main',1700000620.0,'cancelled','asked',NULL,NULL,0,-1,NULL,'ended','ended',0,NULL,0,NULL,NULL,NULL,NULL);
INSERT INTO "jobs" VALUES(2,'job-756ca748','training','{"name":"training","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','running',1700000000.0,2,400,1,0,0,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',NULL,0,-1,NULL,'training','training',0,NULL,0,NULL,NULL,NULL,NULL);
CREATE TABLE ledger (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	price_id INTEGER NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	from_s FLOAT NOT NULL, 
	to_s FLOAT, 
	minimum_s FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	is_waived BOOLEAN NOT NULL, 
	CONSTRAINT pk_ledger PRIMARY KEY (id), 
	CONSTRAINT fk_ledger_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT fk_ledger_node_id FOREIGN KEY(node_id) REFERENCES nodes (id), 
	CONSTRAINT fk_ledger_price_id FOREIGN KEY(price_id) REFERENCES prices (id)
);
INSERT INTO "ledger" VALUES(1,'job-c814ea86','node-cf7cea47','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-c814ea86','node-cf7cea47','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-c814ea86','node-e3d96305','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-c814ea86','node-e3d96305','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-756ca748','node-eada19c6','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-756ca748','node-eada19c6','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-756ca748','node-29932ba1','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-756ca748','node-29932ba1','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
CREATE TABLE losses (
	event_id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	from_s FLOAT, 
	to_s FLOAT, 
	CONSTRAINT pk_losses PRIMARY KEY (event_id), 
	CONSTRAINT fk_losses_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT fk_losses_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE "nodes" (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	phase VARCHAR(16) NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	intended_at_s FLOAT NOT NULL, 
	provider_id VARCHAR(128), 
	launched_at_s FLOAT, 
	joined_at_s FLOAT, 
	heartbeat_at_s FLOAT, 
	terminated_at_s FLOAT, 
	exit TEXT, 
	acked_seq BIGINT NOT NULL, 
	reason TEXT NOT NULL, 
	notice_kind VARCHAR(16), 
	notice_action VARCHAR(32), 
	notice_at_s FLOAT, 
	noticed_at_s FLOAT, 
	stopping_at_s FLOAT, 
	failures INTEGER NOT NULL, 
	extras_usd_per_h FLOAT, 
	minimum_billed_s FLOAT NOT NULL, 
	billed_from_s FLOAT, 
	is_waived BOOLEAN NOT NULL, 
	processes INTEGER DEFAULT '1' NOT NULL, 
	threads INTEGER DEFAULT '1' NOT NULL, 
	image VARCHAR(64), 
	setup_s FLOAT, 
	setup_bytes BIGINT, 
	prepared_at_s FLOAT, 
	report TEXT, 
	CONSTRAINT pk_nodes PRIMARY KEY (seq), 
	CONSTRAINT uq_nodes_id UNIQUE (id), 
	CONSTRAINT fk_nodes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "nodes" VALUES(1,'node-cf7cea47','job-c814ea86','local.half','on-demand','local','terminated','a96ccdbf132a2d26a041e12c262daa09',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(2,'node-e3d96305','job-c814ea86','local.half','on-demand','local','terminated','f575a448c5e8ba03893deb491e85e2cd',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(3,'node-eada19c6','job-756ca748','local.half','on-demand','local','joined','c01598152edc708b29083b8f449d05ed',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(4,'node-29932ba1','job-756ca748','local.half','on-demand','local','joined','afaccd73d7b450ef3df9c9f314a1c8b9',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE past_prices (
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_past_prices PRIMARY KEY (node_type, capacity, zone, valid_from_s)
);
CREATE TABLE pools (
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	history TEXT NOT NULL, 
	CONSTRAINT pk_pools PRIMARY KEY (node_type, capacity, zone)
);
CREATE TABLE prices (
	id INTEGER NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_prices PRIMARY KEY (id)
);
INSERT INTO "prices" VALUES(1,'local.half','on-demand','local',0.36,0.0,1699999900.0,1699999900.0,'test');
INSERT INTO "prices" VALUES(2,'local.half','on-demand','local',0.72,0.0,1700000300.0,1700000300.0,'test');
CREATE TABLE resumes (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	ending VARCHAR(24) NOT NULL, 
	resumed_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_resumes PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_resumes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE rollups (
	job_id VARCHAR(32) NOT NULL, 
	windows_to_s FLOAT NOT NULL, 
	CONSTRAINT pk_rollups PRIMARY KEY (job_id), 
	CONSTRAINT fk_rollups_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE series (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	members TEXT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, iterations BIGINT DEFAULT '0' NOT NULL, elapsed_s FLOAT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_series PRIMARY KEY (id), 
	CONSTRAINT fk_series_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_series_job_id_members_training_phase UNIQUE (job_id, members, training_phase)
);
INSERT INTO "series" VALUES(1,'job-c814ea86','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
INSERT INTO "series" VALUES(2,'job-756ca748','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
CREATE TABLE windows (
	id INTEGER NOT NULL, 
	series_id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	seq BIGINT NOT NULL, 
	generation INTEGER NOT NULL, 
	world_size INTEGER NOT NULL, 
	iteration BIGINT, 
	iterations BIGINT NOT NULL, 
	elapsed_s FLOAT NOT NULL, 
	is_cold BOOLEAN NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_windows PRIMARY KEY (id), 
	CONSTRAINT fk_windows_series_id FOREIGN KEY(series_id) REFERENCES series (id), 
	CONSTRAINT uq_windows_node_id_seq UNIQUE (node_id, seq)
);
INSERT INTO "windows" VALUES(1,1,'job-c814ea86','node-cf7cea47',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-c814ea86','node-cf7cea47',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-c814ea86','node-cf7cea47',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-c814ea86','node-cf7cea47',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-c814ea86','node-cf7cea47',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-c814ea86','node-cf7cea47',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-c814ea86','node-cf7cea47',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-c814ea86','node-cf7cea47',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-c814ea86','node-cf7cea47',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-c814ea86','node-cf7cea47',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-c814ea86','node-cf7cea47',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-c814ea86','node-cf7cea47',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-c814ea86','node-cf7cea47',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-c814ea86','node-cf7cea47',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-c814ea86','node-cf7cea47',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-c814ea86','node-cf7cea47',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-c814ea86','node-cf7cea47',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-c814ea86','node-cf7cea47',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-c814ea86','node-cf7cea47',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-c814ea86','node-cf7cea47',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-c814ea86','node-cf7cea47',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-c814ea86','node-cf7cea47',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-c814ea86','node-cf7cea47',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-c814ea86','node-cf7cea47',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-c814ea86','node-cf7cea47',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-c814ea86','node-cf7cea47',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-c814ea86','node-cf7cea47',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-c814ea86','node-cf7cea47',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-c814ea86','node-cf7cea47',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-c814ea86','node-cf7cea47',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-c814ea86','node-cf7cea47',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-c814ea86','node-cf7cea47',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-c814ea86','node-cf7cea47',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-c814ea86','node-cf7cea47',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-c814ea86','node-cf7cea47',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-c814ea86','node-cf7cea47',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-c814ea86','node-cf7cea47',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-c814ea86','node-cf7cea47',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-c814ea86','node-cf7cea47',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-c814ea86','node-cf7cea47',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-c814ea86','node-cf7cea47',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-c814ea86','node-cf7cea47',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-c814ea86','node-cf7cea47',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-c814ea86','node-cf7cea47',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-c814ea86','node-cf7cea47',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-c814ea86','node-cf7cea47',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-c814ea86','node-cf7cea47',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-c814ea86','node-cf7cea47',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-c814ea86','node-cf7cea47',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-c814ea86','node-cf7cea47',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-c814ea86','node-cf7cea47',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-c814ea86','node-cf7cea47',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-c814ea86','node-cf7cea47',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-c814ea86','node-cf7cea47',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-c814ea86','node-cf7cea47',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-c814ea86','node-cf7cea47',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-c814ea86','node-cf7cea47',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-c814ea86','node-cf7cea47',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-c814ea86','node-cf7cea47',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-c814ea86','node-cf7cea47',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-c814ea86','node-cf7cea47',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-c814ea86','node-cf7cea47',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-c814ea86','node-cf7cea47',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-c814ea86','node-cf7cea47',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-c814ea86','node-cf7cea47',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-c814ea86','node-cf7cea47',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-c814ea86','node-cf7cea47',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-c814ea86','node-cf7cea47',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-c814ea86','node-cf7cea47',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-c814ea86','node-cf7cea47',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-c814ea86','node-cf7cea47',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-c814ea86','node-cf7cea47',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-c814ea86','node-cf7cea47',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-c814ea86','node-cf7cea47',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-c814ea86','node-cf7cea47',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-c814ea86','node-cf7cea47',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-c814ea86','node-cf7cea47',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-c814ea86','node-cf7cea47',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-c814ea86','node-cf7cea47',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-c814ea86','node-cf7cea47',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-c814ea86','node-cf7cea47',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-c814ea86','node-cf7cea47',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-c814ea86','node-cf7cea47',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-c814ea86','node-cf7cea47',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-c814ea86','node-cf7cea47',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-c814ea86','node-cf7cea47',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-c814ea86','node-cf7cea47',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-c814ea86','node-cf7cea47',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-c814ea86','node-cf7cea47',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-c814ea86','node-cf7cea47',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-c814ea86','node-cf7cea47',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-c814ea86','node-cf7cea47',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-c814ea86','node-cf7cea47',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-c814ea86','node-cf7cea47',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-c814ea86','node-cf7cea47',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-c814ea86','node-cf7cea47',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-c814ea86','node-cf7cea47',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-c814ea86','node-cf7cea47',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-c814ea86','node-cf7cea47',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-c814ea86','node-cf7cea47',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-756ca748','node-eada19c6',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-756ca748','node-eada19c6',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-756ca748','node-eada19c6',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-756ca748','node-eada19c6',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-756ca748','node-eada19c6',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-756ca748','node-eada19c6',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-756ca748','node-eada19c6',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-756ca748','node-eada19c6',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-756ca748','node-eada19c6',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-756ca748','node-eada19c6',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-756ca748','node-eada19c6',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-756ca748','node-eada19c6',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-756ca748','node-eada19c6',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-756ca748','node-eada19c6',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-756ca748','node-eada19c6',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-756ca748','node-eada19c6',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-756ca748','node-eada19c6',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-756ca748','node-eada19c6',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-756ca748','node-eada19c6',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-756ca748','node-eada19c6',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-756ca748','node-eada19c6',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-756ca748','node-eada19c6',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-756ca748','node-eada19c6',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-756ca748','node-eada19c6',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-756ca748','node-eada19c6',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-756ca748','node-eada19c6',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-756ca748','node-eada19c6',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-756ca748','node-eada19c6',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-756ca748','node-eada19c6',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-756ca748','node-eada19c6',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-756ca748','node-eada19c6',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-756ca748','node-eada19c6',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-756ca748','node-eada19c6',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-756ca748','node-eada19c6',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-756ca748','node-eada19c6',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-756ca748','node-eada19c6',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-756ca748','node-eada19c6',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-756ca748','node-eada19c6',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-756ca748','node-eada19c6',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-756ca748','node-eada19c6',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-756ca748','node-eada19c6',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-756ca748','node-eada19c6',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-756ca748','node-eada19c6',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-756ca748','node-eada19c6',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-756ca748','node-eada19c6',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-756ca748','node-eada19c6',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-756ca748','node-eada19c6',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-756ca748','node-eada19c6',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-756ca748','node-eada19c6',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-756ca748','node-eada19c6',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-756ca748','node-eada19c6',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-756ca748','node-eada19c6',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-756ca748','node-eada19c6',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-756ca748','node-eada19c6',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-756ca748','node-eada19c6',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-756ca748','node-eada19c6',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-756ca748','node-eada19c6',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-756ca748','node-eada19c6',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-756ca748','node-eada19c6',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-756ca748','node-eada19c6',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-756ca748','node-eada19c6',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-756ca748','node-eada19c6',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-756ca748','node-eada19c6',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-756ca748','node-eada19c6',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-756ca748','node-eada19c6',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-756ca748','node-eada19c6',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-756ca748','node-eada19c6',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-756ca748','node-eada19c6',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-756ca748','node-eada19c6',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-756ca748','node-eada19c6',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-756ca748','node-eada19c6',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-756ca748','node-eada19c6',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-756ca748','node-eada19c6',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-756ca748','node-eada19c6',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-756ca748','node-eada19c6',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-756ca748','node-eada19c6',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-756ca748','node-eada19c6',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-756ca748','node-eada19c6',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-756ca748','node-eada19c6',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-756ca748','node-eada19c6',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-756ca748','node-eada19c6',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-756ca748','node-eada19c6',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-756ca748','node-eada19c6',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-756ca748','node-eada19c6',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-756ca748','node-eada19c6',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-756ca748','node-eada19c6',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-756ca748','node-eada19c6',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-756ca748','node-eada19c6',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-756ca748','node-eada19c6',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-756ca748','node-eada19c6',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-756ca748','node-eada19c6',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-756ca748','node-eada19c6',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-756ca748','node-eada19c6',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-756ca748','node-eada19c6',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-756ca748','node-eada19c6',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-756ca748','node-eada19c6',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-756ca748','node-eada19c6',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-756ca748','node-eada19c6',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-756ca748','node-eada19c6',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-756ca748','node-eada19c6',100,1,2,400,4,0.5,0,1700000089.5);
CREATE INDEX ix_events_job_id ON events (job_id);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_intents_node_id ON intents (node_id);
CREATE INDEX ix_prices_node_type_capacity_zone_valid_from_s ON prices (node_type, capacity, zone, valid_from_s);
CREATE INDEX ix_decisions_action ON decisions (action);
CREATE INDEX ix_decisions_job_id_action_id ON decisions (job_id, action, id);
CREATE INDEX ix_decisions_job_id_id ON decisions (job_id, id);
CREATE INDEX ix_ledger_job_id ON ledger (job_id);
CREATE INDEX ix_ledger_node_id ON ledger (node_id);
CREATE INDEX ix_windows_job_id_id ON windows (job_id, id);
CREATE INDEX ix_windows_series_id_is_cold_id ON windows (series_id, is_cold, id);
CREATE INDEX ix_nodes_phase ON nodes (phase);
CREATE INDEX ix_nodes_job_id ON nodes (job_id);
CREATE INDEX ix_nodes_token ON nodes (token);
CREATE INDEX ix_jobs_name ON jobs (name);
CREATE INDEX ix_jobs_phase ON jobs (phase);
CREATE INDEX ix_losses_job_id ON losses (job_id);
COMMIT;
