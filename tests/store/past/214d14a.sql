-- migration 0004, by the code of commit 214d14a; made by make.py
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0004');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s BIGINT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-89d53408',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-89d53408',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-89d53408',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-89d53408',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-89d53408',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-89d53408',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-89d53408',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-89d53408',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-89d53408',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-89d53408',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-89d53408',1700000085,'main',36.0);
INSERT INTO "buckets" VALUES('job-a28d93ec',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-a28d93ec',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-a28d93ec',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-a28d93ec',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-a28d93ec',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-a28d93ec',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-a28d93ec',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-a28d93ec',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-a28d93ec',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-a28d93ec',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-a28d93ec',1700000085,'main',36.0);
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
	snapshot BLOB NOT NULL, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "decisions" VALUES(1,'job-89d53408',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{}}',X'789CC556DD8ED33C107D175F97AADBEEEEB7DBE7E00E21CB712689C1B1837FDA2D2BDE9D3349EC763F849090805ED5E3F19939F39B57E1FC594671BCFB6FB7FCF6DBDD467CF28D38BE0AD38A23FF7FF7F4DC3E1CEE774F6223E2449AEF9C1A09B7E45A6A21D67E1C9583FE079182326E3B5DC44716B7D072D9DA0D544F78F86D23CE3E7CB65EB5E562B84C142615809828C445C9E16594A371F0AD9ED4CBCDE9AC5CA20AE2A6E0B5049074B34DA172F270ACB7BE5156362AE9A1E81A9851C978C7C499F446F8E613E9644EC4DC60C78CE62BA35C5567ECD65BAB02605B52AD358E38760B6893DB9E92CCB1BA04183ECE0F079F43919F94CD247D279319E9AAB15CAFD465425080FD8183A826A54DBA30297781F1C95BA3F9D8504C728683B4332FD4CAFAB8589B061567A49AB311F9817E76C9585909AEE661AFE504CA3E283DD33BECB82492211010EFEFF072F4301BD538595AB33505D2265694857B80772A24864080739A72AAD10AF4259B4023B9B4B28C94F2B4FC6D55524531920EB4E87C5BC9C08D909D33AEE77ACCCD68120A41AAF4A69067AF4FA8A7D9ABFD4DD6C5F19E533ED7294064015DE3D2411A870A588AB7657B851DC5A87AAA19034DE4BEDCEA1C0278D5CAE46A5D88BDC96CCD87F55AD9ED978C5811D7969EB238EEB6FB073634FA7091BD413FCE9DD94F596A9F197D3D8DC0B4D7645FA2011A740255E76B76D8ACE8A6C39E7BD38C3714FEE7CCA06C77F5E41F3AD241581CB963BB7FCB918FAC64F49A299E84183CBEEB28CC75F02A6E1AEDC70C5E3BD6BB772DCDA37123BE7A57B505CAE6A6F551AD9C6FF4B2696517FC38D7F2E3337E8FF74B2DFB265238FDA4D023E68B66F084A683297A417947F9D602479799EC7FC5A4A4FF7768DCFF351A875FD128C5F33B349EFF388B79E6055366433C1BACA83AF307E5FA7A35619C2C9B050F7728448BFDC443917755E87949EEB677BC6EBD6DFDD9B14B8F8B2F291814FFD938C8217D2A1276260E2AD0DAE08B7939A91C49A2F27D6090078668BC4F57D181458C278BA56541CCDDC22B5AA28958FC546215A7E5FDDBEBC3EA2056BC19F3281B632DE219678EC54B2C49C20C47EA3A6523F1DE509A67F8753297A8622260E368C20E6FD732C18A532765AC6A2CAD9BC5E766FE68B839D4C0620044A9B17BACEFE5677C1821AC296462BA69C05664013FE4802C1BE93B4F571903');
INSERT INTO "decisions" VALUES(2,'job-a28d93ec',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{}}',X'789CC556DB8E1B370CFD173D3B86D7DE6C77FD1D7D0B0241A3E18C95682445177B9D45FEBD873323D9DBA20810A0A95F6C5114C9431E927E13CE5F6412C7873F76CB67BFDD6DC417DF89E39B30BD38F2EF0F6AFFDCBF1C488B8D48015FB8736A22DCE6A88C336EC48DF6D3A41C9E7C5AA4DB70159F59DC43D1156B3782DC196F7F6CC4C5C7AFD6ABBE5E9CAE816250114633C5B42839BC4C72320EE1B5937ABD3B5D94CBD48CB810BD963024DDEC53A8923D021BADEF94959DCAFA54750DDCA86CBC63EC8C7B237CF7857436676278F06326F39DADDC5467DBBDB7564598ED49F5D638E2F42D46BBD28F9465492D2498E1E3FCF0E44BACF2B3B285A41F643613DD3496EB15BACC480A6C7FE224AAA0B4C95706E5AE701EBC359A8F1DA52C6773900EE6957AD91E576FE1A4D26CA9956D427DA05F5C36563680AB7BF8EBB980728C4ACFF00E3B6645360400E2CF07BC9C3CDC2635054B6BB542246D52B3B2608F884EC5CC2690E09243C92D5B91BE15136922975794897209CBCF5E65551513E9488BCE8F150CC288C5ADC44BA59B4C0611A4CAEFB83C477D069FE6A8F6775517C7472E7965AFAC46D7BC0C90A6533358C9DBB3BF8A8E525223B58A01266A5F6F758911B81A3399AD0BB077956DF5B05E2BBBFD56902B626EE950C471B7DD7F6447938F57391AB4E4DC9C632852FBC2D6D7D3049BF656EC6B32B0069D482DF8561D762B8670D8736F9AE90EC2DF8239293BDC22F91F031920AC813CB0DFDF15C86756327AAD140F430C1E3F0C14671EBC89BB46FB67056F1DEBDD879EE6D1B811DFBD6BDA02B4B96B7DB095EB8D5E36BD1CA29F662E3FBDE0F3F4B870D97789E2F95F889E305FF43C93D1747045AFA07792EF3D707619C9FE67486AF97F05C6E36F8371F8198C4A9E5F81F1F29FA398675E347536A48BC18A6A33FFA4DCD8AE02C6C9B259F07007225AEC271E8ABCABE2C84B72B77DE075EB6DEF2F8E437A5A62C9D180FC17E32087F4B94A3898745291D6065FDCCBA04A2209E6FBC8463EB289CEFB7C131D58C4F664F5B42C88B95B78454B34118B9F6BAE5258DEBFBF3EAC0162C59BA94CB233D6229F69C658A3C49224CC70946E503611EF0DA57986DF2673CD2A2602368E26ECF07EA509569C3A2B63556769DD2CBE74F39F86BB434B2C0640921ABBC7FA517EC57F23A435C7420C379FB01559C00F3921CB46FA0BA8D11AE9');
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
INSERT INTO "events" VALUES(2,1700000000.0,'job-89d53408',NULL,'job_submitted','job ended submitted, to run on T1','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-89d53408',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-89d53408',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-89d53408','node-47b2efb8','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-89d53408','node-47b2efb8','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-89d53408','node-2fcc55df','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-89d53408','node-2fcc55df','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-89d53408',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-89d53408',NULL,'decision','start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-89d53408',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-89d53408','node-47b2efb8','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-89d53408','node-47b2efb8','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-89d53408','node-2fcc55df','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-89d53408','node-2fcc55df','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-89d53408',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-89d53408',NULL,'job_phase','job ended is cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-a28d93ec',NULL,'job_submitted','job training submitted, to run on T1','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-a28d93ec',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-a28d93ec',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-a28d93ec','node-8fe94766','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-a28d93ec','node-8fe94766','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-a28d93ec','node-796f083e','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-a28d93ec','node-796f083e','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-a28d93ec',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-a28d93ec',NULL,'decision','start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-a28d93ec',NULL,'note','a note of training','{}');
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
INSERT INTO "generations" VALUES('job-89d53408',1,'["node-47b2efb8", "node-2fcc55df"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5,0,2);
INSERT INTO "generations" VALUES('job-a28d93ec',1,'["node-8fe94766", "node-796f083e"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5,0,2);
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
INSERT INTO "intents" VALUES(1,'bb1565dff4a0a2d2850b75b0925cfe29','launch','node-47b2efb8','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'94eb6f2491670dbea739c9898c14ba66','launch','node-2fcc55df','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'bb1565dff4a0a2d2850b75b0925cfe29','terminate','node-47b2efb8','bb1565dff4a0a2d2850b75b0925cfe29','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'94eb6f2491670dbea739c9898c14ba66','terminate','node-2fcc55df','94eb6f2491670dbea739c9898c14ba66','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'78c53b351e7b57f3ba965a0eb0f649cf','launch','node-8fe94766','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'fba0b4bdda466b64855718dd93aca716','launch','node-796f083e','h','',1700000001.0,1700000005.0,'launched');
CREATE TABLE jobs (
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
	claimed_round BIGINT NOT NULL, 
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
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_id UNIQUE (id), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key)
);
INSERT INTO "jobs" VALUES(1,'job-89d53408','ended','{"name":"ended","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"tier":"T1","most_samples":{},"precision":null,"max_restarts":3,"outputs":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','cancelled',1700000000.0,4,400,1,0,0,'main',1700000620.0,'cancelled','asked',NULL,NULL,0,-1,NULL,'ended','ended');
INSERT INTO "jobs" VALUES(2,'job-a28d93ec','training','{"name":"training","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"tier":"T1","most_samples":{},"precision":null,"max_restarts":3,"outputs":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','running',1700000000.0,2,400,1,0,0,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',NULL,0,-1,NULL,'training','training');
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
INSERT INTO "ledger" VALUES(1,'job-89d53408','node-47b2efb8','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-89d53408','node-47b2efb8','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-89d53408','node-2fcc55df','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-89d53408','node-2fcc55df','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-a28d93ec','node-8fe94766','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-a28d93ec','node-8fe94766','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-a28d93ec','node-796f083e','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-a28d93ec','node-796f083e','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
CREATE TABLE nodes (
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
	agent_state VARCHAR(16), 
	agent_generation INTEGER, 
	exit TEXT, 
	acked_seq BIGINT NOT NULL, 
	reason TEXT NOT NULL, 
	notice_kind VARCHAR(16), 
	notice_action VARCHAR(32), 
	notice_at_s FLOAT, 
	noticed_at_s FLOAT, 
	stopping_at_s FLOAT, 
	saving_s FLOAT, 
	tier VARCHAR(8), 
	failures INTEGER NOT NULL, 
	still_s FLOAT, 
	longest_pause_s FLOAT, 
	learnt_pause_s FLOAT, 
	extras_usd_per_h FLOAT, 
	minimum_billed_s FLOAT NOT NULL, 
	billed_from_s FLOAT, 
	is_waived BOOLEAN NOT NULL, processes INTEGER DEFAULT '1' NOT NULL, threads INTEGER DEFAULT '1' NOT NULL, image VARCHAR(64), setup_s FLOAT, setup_bytes BIGINT, prepared_at_s FLOAT, 
	CONSTRAINT pk_nodes PRIMARY KEY (seq), 
	CONSTRAINT fk_nodes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_nodes_id UNIQUE (id)
);
INSERT INTO "nodes" VALUES(1,'node-47b2efb8','job-89d53408','local.half','on-demand','local','terminated','bb1565dff4a0a2d2850b75b0925cfe29',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(2,'node-2fcc55df','job-89d53408','local.half','on-demand','local','terminated','94eb6f2491670dbea739c9898c14ba66',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(3,'node-8fe94766','job-a28d93ec','local.half','on-demand','local','joined','78c53b351e7b57f3ba965a0eb0f649cf',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(4,'node-796f083e','job-a28d93ec','local.half','on-demand','local','joined','fba0b4bdda466b64855718dd93aca716',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL);
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
CREATE TABLE series (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	members TEXT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_series PRIMARY KEY (id), 
	CONSTRAINT fk_series_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_series_job_id_members_training_phase UNIQUE (job_id, members, training_phase)
);
INSERT INTO "series" VALUES(1,'job-89d53408','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main');
INSERT INTO "series" VALUES(2,'job-a28d93ec','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main');
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
INSERT INTO "windows" VALUES(1,1,'job-89d53408','node-47b2efb8',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-89d53408','node-47b2efb8',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-89d53408','node-47b2efb8',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-89d53408','node-47b2efb8',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-89d53408','node-47b2efb8',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-89d53408','node-47b2efb8',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-89d53408','node-47b2efb8',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-89d53408','node-47b2efb8',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-89d53408','node-47b2efb8',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-89d53408','node-47b2efb8',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-89d53408','node-47b2efb8',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-89d53408','node-47b2efb8',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-89d53408','node-47b2efb8',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-89d53408','node-47b2efb8',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-89d53408','node-47b2efb8',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-89d53408','node-47b2efb8',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-89d53408','node-47b2efb8',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-89d53408','node-47b2efb8',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-89d53408','node-47b2efb8',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-89d53408','node-47b2efb8',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-89d53408','node-47b2efb8',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-89d53408','node-47b2efb8',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-89d53408','node-47b2efb8',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-89d53408','node-47b2efb8',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-89d53408','node-47b2efb8',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-89d53408','node-47b2efb8',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-89d53408','node-47b2efb8',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-89d53408','node-47b2efb8',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-89d53408','node-47b2efb8',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-89d53408','node-47b2efb8',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-89d53408','node-47b2efb8',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-89d53408','node-47b2efb8',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-89d53408','node-47b2efb8',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-89d53408','node-47b2efb8',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-89d53408','node-47b2efb8',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-89d53408','node-47b2efb8',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-89d53408','node-47b2efb8',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-89d53408','node-47b2efb8',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-89d53408','node-47b2efb8',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-89d53408','node-47b2efb8',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-89d53408','node-47b2efb8',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-89d53408','node-47b2efb8',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-89d53408','node-47b2efb8',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-89d53408','node-47b2efb8',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-89d53408','node-47b2efb8',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-89d53408','node-47b2efb8',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-89d53408','node-47b2efb8',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-89d53408','node-47b2efb8',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-89d53408','node-47b2efb8',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-89d53408','node-47b2efb8',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-89d53408','node-47b2efb8',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-89d53408','node-47b2efb8',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-89d53408','node-47b2efb8',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-89d53408','node-47b2efb8',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-89d53408','node-47b2efb8',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-89d53408','node-47b2efb8',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-89d53408','node-47b2efb8',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-89d53408','node-47b2efb8',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-89d53408','node-47b2efb8',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-89d53408','node-47b2efb8',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-89d53408','node-47b2efb8',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-89d53408','node-47b2efb8',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-89d53408','node-47b2efb8',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-89d53408','node-47b2efb8',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-89d53408','node-47b2efb8',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-89d53408','node-47b2efb8',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-89d53408','node-47b2efb8',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-89d53408','node-47b2efb8',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-89d53408','node-47b2efb8',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-89d53408','node-47b2efb8',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-89d53408','node-47b2efb8',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-89d53408','node-47b2efb8',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-89d53408','node-47b2efb8',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-89d53408','node-47b2efb8',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-89d53408','node-47b2efb8',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-89d53408','node-47b2efb8',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-89d53408','node-47b2efb8',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-89d53408','node-47b2efb8',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-89d53408','node-47b2efb8',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-89d53408','node-47b2efb8',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-89d53408','node-47b2efb8',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-89d53408','node-47b2efb8',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-89d53408','node-47b2efb8',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-89d53408','node-47b2efb8',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-89d53408','node-47b2efb8',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-89d53408','node-47b2efb8',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-89d53408','node-47b2efb8',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-89d53408','node-47b2efb8',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-89d53408','node-47b2efb8',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-89d53408','node-47b2efb8',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-89d53408','node-47b2efb8',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-89d53408','node-47b2efb8',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-89d53408','node-47b2efb8',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-89d53408','node-47b2efb8',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-89d53408','node-47b2efb8',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-89d53408','node-47b2efb8',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-89d53408','node-47b2efb8',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-89d53408','node-47b2efb8',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-89d53408','node-47b2efb8',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-89d53408','node-47b2efb8',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-a28d93ec','node-8fe94766',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-a28d93ec','node-8fe94766',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-a28d93ec','node-8fe94766',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-a28d93ec','node-8fe94766',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-a28d93ec','node-8fe94766',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-a28d93ec','node-8fe94766',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-a28d93ec','node-8fe94766',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-a28d93ec','node-8fe94766',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-a28d93ec','node-8fe94766',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-a28d93ec','node-8fe94766',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-a28d93ec','node-8fe94766',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-a28d93ec','node-8fe94766',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-a28d93ec','node-8fe94766',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-a28d93ec','node-8fe94766',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-a28d93ec','node-8fe94766',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-a28d93ec','node-8fe94766',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-a28d93ec','node-8fe94766',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-a28d93ec','node-8fe94766',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-a28d93ec','node-8fe94766',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-a28d93ec','node-8fe94766',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-a28d93ec','node-8fe94766',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-a28d93ec','node-8fe94766',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-a28d93ec','node-8fe94766',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-a28d93ec','node-8fe94766',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-a28d93ec','node-8fe94766',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-a28d93ec','node-8fe94766',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-a28d93ec','node-8fe94766',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-a28d93ec','node-8fe94766',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-a28d93ec','node-8fe94766',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-a28d93ec','node-8fe94766',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-a28d93ec','node-8fe94766',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-a28d93ec','node-8fe94766',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-a28d93ec','node-8fe94766',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-a28d93ec','node-8fe94766',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-a28d93ec','node-8fe94766',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-a28d93ec','node-8fe94766',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-a28d93ec','node-8fe94766',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-a28d93ec','node-8fe94766',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-a28d93ec','node-8fe94766',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-a28d93ec','node-8fe94766',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-a28d93ec','node-8fe94766',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-a28d93ec','node-8fe94766',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-a28d93ec','node-8fe94766',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-a28d93ec','node-8fe94766',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-a28d93ec','node-8fe94766',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-a28d93ec','node-8fe94766',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-a28d93ec','node-8fe94766',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-a28d93ec','node-8fe94766',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-a28d93ec','node-8fe94766',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-a28d93ec','node-8fe94766',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-a28d93ec','node-8fe94766',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-a28d93ec','node-8fe94766',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-a28d93ec','node-8fe94766',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-a28d93ec','node-8fe94766',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-a28d93ec','node-8fe94766',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-a28d93ec','node-8fe94766',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-a28d93ec','node-8fe94766',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-a28d93ec','node-8fe94766',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-a28d93ec','node-8fe94766',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-a28d93ec','node-8fe94766',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-a28d93ec','node-8fe94766',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-a28d93ec','node-8fe94766',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-a28d93ec','node-8fe94766',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-a28d93ec','node-8fe94766',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-a28d93ec','node-8fe94766',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-a28d93ec','node-8fe94766',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-a28d93ec','node-8fe94766',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-a28d93ec','node-8fe94766',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-a28d93ec','node-8fe94766',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-a28d93ec','node-8fe94766',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-a28d93ec','node-8fe94766',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-a28d93ec','node-8fe94766',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-a28d93ec','node-8fe94766',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-a28d93ec','node-8fe94766',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-a28d93ec','node-8fe94766',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-a28d93ec','node-8fe94766',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-a28d93ec','node-8fe94766',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-a28d93ec','node-8fe94766',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-a28d93ec','node-8fe94766',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-a28d93ec','node-8fe94766',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-a28d93ec','node-8fe94766',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-a28d93ec','node-8fe94766',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-a28d93ec','node-8fe94766',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-a28d93ec','node-8fe94766',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-a28d93ec','node-8fe94766',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-a28d93ec','node-8fe94766',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-a28d93ec','node-8fe94766',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-a28d93ec','node-8fe94766',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-a28d93ec','node-8fe94766',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-a28d93ec','node-8fe94766',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-a28d93ec','node-8fe94766',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-a28d93ec','node-8fe94766',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-a28d93ec','node-8fe94766',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-a28d93ec','node-8fe94766',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-a28d93ec','node-8fe94766',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-a28d93ec','node-8fe94766',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-a28d93ec','node-8fe94766',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-a28d93ec','node-8fe94766',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-a28d93ec','node-8fe94766',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-a28d93ec','node-8fe94766',100,1,2,400,4,0.5,0,1700000089.5);
CREATE INDEX ix_events_job_id ON events (job_id);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_intents_node_id ON intents (node_id);
CREATE INDEX ix_jobs_name ON jobs (name);
CREATE INDEX ix_jobs_phase ON jobs (phase);
CREATE INDEX ix_prices_node_type_capacity_zone_valid_from_s ON prices (node_type, capacity, zone, valid_from_s);
CREATE INDEX ix_decisions_action ON decisions (action);
CREATE INDEX ix_decisions_job_id_action_id ON decisions (job_id, action, id);
CREATE INDEX ix_decisions_job_id_id ON decisions (job_id, id);
CREATE INDEX ix_nodes_job_id ON nodes (job_id);
CREATE INDEX ix_nodes_phase ON nodes (phase);
CREATE INDEX ix_nodes_token ON nodes (token);
CREATE INDEX ix_ledger_job_id ON ledger (job_id);
CREATE INDEX ix_ledger_node_id ON ledger (node_id);
CREATE INDEX ix_windows_job_id_id ON windows (job_id, id);
CREATE INDEX ix_windows_series_id_is_cold_id ON windows (series_id, is_cold, id);
COMMIT;
